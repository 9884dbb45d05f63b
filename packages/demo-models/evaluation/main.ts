// Evaluates the committed weights on the held-out questions:
//   pnpm --filter @svc/demo-models evaluate [--chat FILE] [--embed FILE]
//   --write          puts the tables into README.md, MODEL_CARD.md and training/log/evaluation.txt
//   --failures FILE  writes every wrong answer as JSON
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { evaluateChat } from './chat.ts'
import { evaluateEmbedding } from './embedding.ts'
import { ChatModel, embedAll, startEngine } from './engine.ts'
import { chatTable, embeddingTable, replaceBlock } from './report.ts'
import { chatSets, embeddingSets, generalPairs, handWritten } from './sets.ts'

const WARM = 0.7
const inPackage = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url))

const { values } = parseArgs({
  options: {
    chat: { type: 'string', default: inPackage('weights/demo.gguf') },
    embed: { type: 'string', default: inPackage('weights/demo-embed.gguf') },
    write: { type: 'boolean', default: false },
    failures: { type: 'string' },
  },
})

function nameAndSum(file: string): string {
  const bytes = readFileSync(file)
  return `${basename(file)}: ${bytes.length} bytes, SHA-256 \`${createHash('sha256').update(bytes).digest('hex')}\``
}

const llama = await startEngine()
const chat = await ChatModel.load(llama, values.chat)
const begin = performance.now()
const greedy = await evaluateChat(chat, { items: chatSets, handWritten })
const seconds = (performance.now() - begin) / 1000
const warm = await evaluateChat(chat, { items: chatSets, handWritten, temperature: WARM })
await chat[Symbol.asyncDispose]()
const embedding = await evaluateEmbedding((texts) => embedAll(llama, values.embed, texts), embeddingSets, generalPairs)
await llama.dispose()

const tables = {
  chat: `${nameAndSum(values.chat)}\n\n${chatTable(greedy.scores(), warm.scores())}`,
  embed: `${nameAndSum(values.embed)}\n\n${embeddingTable(embedding)}`,
}
console.log(`${tables.chat}\n\n${tables.embed}\n\nchat questions at temperature 0: ${seconds.toFixed(0)} s`)

if (values.write) {
  for (const path of ['README.md', 'MODEL_CARD.md']) {
    const file = inPackage(path)
    const text = replaceBlock(readFileSync(file, 'utf8'), 'figures of demo', tables.chat)
    writeFileSync(file, replaceBlock(text, 'figures of demo-embed', tables.embed))
  }
  writeFileSync(inPackage('training/log/evaluation.txt'), `${tables.chat}\n\n${tables.embed}\n`)
}
if (values.failures !== undefined) {
  writeFileSync(values.failures, JSON.stringify([...greedy.failures, ...embedding.tally.failures], null, 1))
}
