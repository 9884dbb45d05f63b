// Adds entries to a corpus, one after the other, and prints the text of each once it is acknowledged. Run by a test,
// which kills it: `append-entries.ts FOLDER FIRST`.
import { createCorpora } from '@svc/router/corpus'
import { createCorpusFiles } from '@svc/router/node'

const [folder = '', first = '0'] = process.argv.slice(2)
const embedder = {
  embed: async (texts: readonly string[]) =>
    texts.map((text) => Array.from({ length: 384 }, (_, index) => Math.sin(text.length + index) + text.charCodeAt(5))),
}
const corpora = createCorpora({ store: createCorpusFiles({ folder }) })
const corpus = corpora.open({ name: 'auto', embedder, embeddingModel: 'm', fingerprint: 'f' })
const { signal } = new AbortController()
for (let number = Number(first); ; number++) {
  const entries = [0, 1, 2].map((part) => ({ text: `text ${number}.${part}`, labels: ['code'] }))
  await corpus.add(entries, { labels: new Set(['code']), signal })
  process.stdout.write(`${entries.map(({ text }) => text).join('\n')}\n`)
}
