// Compares a GGUF file with the torch model: node parity.mjs model.gguf parity.json
// Tokens, next-token log-probabilities, and the chat template as the server renders it.
import { readFileSync } from 'node:fs'
import { compileJinja, renderChatTemplate } from '@svc/templates'
import { getLlama } from 'node-llama-cpp'

const [file, casesFile] = process.argv.slice(2)
const cases = JSON.parse(readFileSync(casesFile, 'utf8'))
const llama = await getLlama({
  gpu: false,
  build: 'never',
  skipDownload: true,
  maxThreads: 1,
  logLevel: 'error',
  progressLogs: false,
})
const model = await llama.loadModel({ modelPath: file })
const context = await model.createContext({
  contextSize: 1024,
  sequences: 1,
  threads: 1,
  flashAttention: false,
  experimentalKvCacheKeyType: 'F32',
  experimentalKvCacheValueType: 'F32',
})
const sequence = context.getSequence()

let wrongTokens = 0
let wrongText = 0
for (const { text, ids } of cases.tokens) {
  const tokens = model.tokenize(text, false)
  if (tokens.join() !== ids.join()) wrongTokens++
  if (model.detokenize(tokens, false) !== text) wrongText++
}

let largest = 0
let sameBest = 0
for (const { ids, logProbabilities } of cases.sequences) {
  await sequence.clearHistory()
  const raw = { temperature: 1, topK: 0, topP: 1, minP: 0 }
  for await (const { probabilities } of sequence.evaluateWithMetadata(
    ids,
    { probabilities: true },
    { ...raw, yieldEogToken: true },
  )) {
    const [best] = probabilities.keys()
    if (best === logProbabilities.indexOf(Math.max(...logProbabilities))) sameBest++
    for (const [token, probability] of probabilities) {
      if (probability > 1e-4) largest = Math.max(largest, Math.abs(Math.log(probability) - logProbabilities[token]))
    }
    break
  }
}

const template = compileJinja(model.fileInfo.metadata.tokenizer.chat_template)
let wrongTemplates = 0
for (const { messages, tools, text } of cases.templates) {
  const rendered = renderChatTemplate({ template, messages, tools: tools.length > 0 ? tools : null })
  if (rendered !== text) {
    if (wrongTemplates++ === 0) console.log(JSON.stringify({ rendered, text }, null, 1))
  }
}

console.log(`tokens: ${wrongTokens} of ${cases.tokens.length} differ, ${wrongText} do not come back as the same text`)
console.log(
  `log-probabilities: largest difference ${largest.toExponential(2)}, same best token in ${sameBest} of ${cases.sequences.length}`,
)
console.log(`chat template: ${wrongTemplates} of ${cases.templates.length} differ`)
await llama.dispose()
