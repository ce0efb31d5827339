// @bun
import{COMMANDS}from"./pq046vsf.js";import{_enum}from"./v1nj16hm.js";import{Exit}from"./8pf737je.js";var SHELLS=["bash","zsh","fish"],PROGRAMS=["persisted-memory","pmem"];function completionScript(shell,commands){return{bash,zsh,fish}[shell](placesIn(commands))}function placesIn(commands){let groups=new Map([["",[]]]);for(let{name,summary}of commands){let words=name.split(" ");for(let[depth,word]of words.entries()){let above=words.slice(0,depth).join(" "),group=groups.get(above)??[];groups.set(above,group);let meaning=depth===words.length-1?summary:`${word} commands`;if(!group.some((candidate)=>candidate.word===word))group.push({word,meaning})}}let own=commands.map((spec)=>({words:spec.name,next:candidatesOf(spec),values:valuesOf(spec)}));return[...[...groups].map(([words,next])=>({words,next,values:[]})),...own]}function candidatesOf({args=[],options=[],json}){return[...args.flatMap(({choices=[],meaning})=>choices.map((word)=>({word,meaning}))),...options.map(({flags,meaning})=>({word:longOption(flags),meaning})),...json?[{word:"--json",meaning:"one JSON object on stdout"}]:[],{word:"--help",meaning:"display help for command"}]}function valuesOf({options=[]}){return options.flatMap(({flags,choices})=>choices===void 0?[]:[{option:longOption(flags),words:choices}])}function longOption(flags){return/--[\w-]+/.exec(flags)?.[0]??flags}function bash(places){let known=places.flatMap(({words})=>words===""?[]:[`"${words}"`]),words=places.map((place)=>`    "${place.words}") words="${place.next.map(({word})=>word).join(" ")}" ;;`),values=places.flatMap((place)=>place.values.map((value)=>`    "${place.words} ${value.option}") words="${value.words.join(" ")}" ;;`));return`_persisted_memory() {
  local at="" word words=""
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "\${at:+$at }$word" in
      ${known.join("|")}) at="\${at:+$at }$word" ;;
    esac
  done
  case "$at" in
${words.join(`
`)}
  esac
  case "$at \${COMP_WORDS[COMP_CWORD-1]}" in
${values.join(`
`)}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _persisted_memory ${PROGRAMS.join(" ")}
`}function zsh(places){let known=places.flatMap(({words})=>words===""?[]:[`"${words}"`]),describe=({word,meaning})=>`      ${quoted(`${word}:${meaning}`)}`,lists=places.map((place)=>`    "${place.words}") list=(
${place.next.map(describe).join(`
`)}
    ) ;;`),values=places.flatMap((place)=>place.values.map((value)=>`    "${place.words} ${value.option}") list=(${value.words.join(" ")}) ;;`));return`#compdef ${PROGRAMS.join(" ")}
_persisted_memory() {
  local at="" word
  local -a list
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "\${at:+$at }$word" in
      ${known.join("|")}) at="\${at:+$at }$word" ;;
    esac
  done
  case "$at" in
${lists.join(`
`)}
  esac
  case "$at $words[CURRENT-1]" in
${values.join(`
`)}
  esac
  _describe "persisted-memory" list || _files
}
if [ "$funcstack[1]" = "_persisted_memory" ]; then
  _persisted_memory "$@"
else
  compdef _persisted_memory ${PROGRAMS.join(" ")}
fi
`}function fish(places){let known=places.flatMap(({words})=>words===""?[]:[quoted(words)]),rule=(words,rest)=>`    complete -c $program -n '__persisted_memory_at "${words}"' ${rest}`,rules=places.flatMap((place)=>place.next.map(({word,meaning})=>{let what=word.startsWith("--")?`-l ${word.slice(2)}`:`-f -a ${word}`,value=place.values.find(({option})=>option===word),words=value===void 0?what:`${what} -xa ${quoted(value.words.join(" "))}`;return rule(place.words,`${words} -d ${quoted(meaning)}`)}));return`function __persisted_memory_at
    set -l at
    for word in (commandline -opc)[2..-1]
        if contains -- (string join -- ' ' $at $word) ${known.join(" ")}
            set -a at $word
        end
    end
    test "$at" = "$argv[1]"
end
for program in ${PROGRAMS.join(" ")}
${rules.join(`
`)}
end
`}function quoted(text){return`'${text.replaceAll("'",String.raw`'\''`)}'`}var run=async({args},{output})=>(output.text(completionScript(_enum(SHELLS).parse(args[0]),COMMANDS)),Exit.done);export{run};
