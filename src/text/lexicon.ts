/** What a word does in a sentence, as bits: a word may do more than one thing. */
export const Role = {
  /** Carries grammar or emphasis, not content. */
  function: 1,
  /** Turns a statement round. */
  negation: 2,
  /** Makes a statement less certain. */
  hedge: 4,
  /** Narrows or moves a statement: with it, a sentence says another thing. */
  limit: 8,
} as const;

const FUNCTION = `
  a an the this that these those and or but so as than then if because while of in on at by for from to into onto with
  within about over under through during between against toward towards via per up out off down again
  i you he she it we they me him her us them my your his its our their mine yours hers ours theirs myself yourself
  himself herself itself ourselves themselves who whom whose which what where when why how there here
  is are was were be been being am isn do does did done doing has have had having will would shall should can must
  also like such very really quite just too same own other another each every both either any some all more most much
  many few several various yet still even ever often once due around along upon though although thus hence besides able
  now currently recently actually basically simply truly highly extremely incredibly successfully order including together
  use uses used using
`;

const NEGATION = `
  not no never none nothing nobody nowhere neither nor without cannot
  dont doesnt didnt isnt arent wasnt werent wont cant couldnt shouldnt wouldnt hasnt havent hadnt
  pas jamais sans aucun aucune nicht kein keine keinen keiner keinem niemals ohne nunca jamás ningún ninguna não sem
  nessun nessuna senza не нет без никогда нельзя нигде nigdy bez niet geen nooit zonder inte aldrig utan ikke uten
  değil yok
`;

const HEDGE = `
  probably maybe might may perhaps possibly presumably supposedly allegedly apparently reportedly seemingly seem seems
  seemed appear appears appeared likely unlikely unverified untested unconfirmed unclear unsure uncertain assume assumes
  assumed assuming assumption guess guesses guessed suspect suspects suspected suspicion hypothesis believe believes
  believed think thinks thought could roughly approximately approx tentative tentatively rumored rumoured sometimes
  intermittently theoretically tbd tbc
  wahrscheinlich vielleicht vermutlich möglicherweise anscheinend angeblich probablement semble apparemment
  probablemente quizás quizá parece provavelmente talvez forse probabilmente sembra вероятно возможно наверное кажется
`;

const LIMIT = `
  only except unless until till before after instead rather above below least less fewer last first always mostly
  usually almost nearly if when whenever old former formerly previously legacy deprecated disabled optional
`;

/** Lower-case word → its roles. */
export const LEXICON: ReadonlyMap<string, number> = buildLexicon();

/** Signs of a negation or a hedge in scripts that put no spaces between words. */
export const UNSPACED_NEGATION = /[不没沒無无未非]|な[いくし]|ませ[んぬ]|ずに|않|없|못|ไม่/gu;
export const UNSPACED_HEDGE =
  /可能|也许|或许|大概|似乎|かもしれ|でしょう|だろう|らしい|たぶん|多分|おそらく|推定|아마|것 같|อาจ/gu;

function buildLexicon(): Map<string, number> {
  const lexicon = new Map<string, number>();
  const lists: [string, number][] = [
    [FUNCTION, Role.function],
    [NEGATION, Role.negation],
    [HEDGE, Role.hedge],
    [LIMIT, Role.limit],
  ];
  for (const [list, role] of lists) {
    for (const word of list.trim().split(/\s+/)) lexicon.set(word, (lexicon.get(word) ?? 0) | role);
  }
  return lexicon;
}
