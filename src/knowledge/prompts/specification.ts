/** `AGENTS.md` of a new base. From then on it is its owner's: the compiler reads it and never writes it again. */
export const SPECIFICATION = `# How this knowledge base is compiled

Conversations are the source, daily logs (\`daily/\`) their record, articles (\`knowledge/\`) what is made of them.
This page tells the compiler what to write. Change it as you like: it is sent with every compile and never overwritten.

## What deserves an article

- A **concept** (\`concepts/\`): one thing that somebody will look up again. A decision with its reasons, a trap, how a part
  works, a convention, a tool's behaviour. One concept a page; a page that would need "and" in its title is two.
- A **connection** (\`connections/\`): an insight that joins two or more concepts and stands in none of them.
- Nothing, where the log only tells what was done. Expect one to five pages from a day's log, often fewer.

A page has 200 words or more; what needs fewer belongs on another page.
Look first for a page that the new fact belongs to. Updating is better than a second page with nearly the same name.

## How a page reads

- Like an encyclopedia: neutral, present tense, complete sentences, the conclusion first.
- Names, paths, commands, numbers and error texts stay exactly as the log has them. Doubt stays doubt.
- Newer logs win over older ones. What changed is told with its date ("until 2026-03-04 …"), not deleted without a word.
- Every page links at least two others where they exist: \`[[concepts/slug]]\`, relative to \`knowledge/\`, without \`.md\`.
- Every claim of weight names its log: \`[[daily/2026-04-01.md]]\`.

## Concept pages

\`\`\`markdown
# Title

Two to four sentences: what it is and why it matters here.

## Key Points

- three to five points, each a full sentence

## Details

Two paragraphs or more: how it works, why it is so, what was tried, examples.

## Related Concepts

- [[concepts/other-slug]] - how the two belong together

## Sources

- [[daily/2026-04-01.md]] - what this log says about it
\`\`\`

## Connection pages

\`\`\`markdown
## The Connection

What joins [[concepts/one]] and [[concepts/other]].

## Key Insight

What one does not see from either alone.

## Evidence

Where it showed, with [[daily/2026-04-01.md]].

## Related Concepts

- [[concepts/one]]
- [[concepts/other]]
\`\`\`
`;
