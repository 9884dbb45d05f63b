// Asks a GGUF file the held-out questions: node evaluate.mjs model.gguf evaluation.json [--temperature 0.7] [--failures FILE]
// evaluation.json comes from `python generate.py --evaluation 60`. Needs node-llama-cpp.
import { readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { getLlama } from 'node-llama-cpp'

const FALLBACK = 'I am a very small demo model and '
const LIMIT = 200
const DEMO_THRESHOLD = 0.5

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { temperature: { type: 'string', default: '0' }, failures: { type: 'string' } },
})
const [file, setsFile] = positionals
const temperature = Number(values.temperature)
const sets = JSON.parse(readFileSync(setsFile, 'utf8'))
const handWritten = JSON.parse(readFileSync(new URL('data/hand-written.json', import.meta.url), 'utf8'))
const routerPrompt = readFileSync(new URL('router-prompt.txt', import.meta.url), 'utf8').trim()

const llama = await getLlama({
  gpu: false,
  build: 'never',
  skipDownload: true,
  maxThreads: 1,
  logLevel: 'error',
  progressLogs: false,
})
const model = await llama.loadModel({ modelPath: file })
const context = await model.createContext({ contextSize: 1024, sequences: 1, threads: 1 })
const sequence = context.getSequence()
const [turnStart] = model.tokenize('<|im_start|>', true)
const [turnEnd] = model.tokenize('<|im_end|>', true)
const lineEnd = model.tokenize('\n')
const answerHead = model.tokenize('assistant\n')

/** Content never becomes a control token, except the two marks of a tool call, which are tokens of their own. */
function content(text) {
  return text.split(/(<\/?tool_call>)/).flatMap((part, index) => model.tokenize(part, index % 2 === 1))
}

function promptTokens(messages) {
  const turns = messages.flatMap(({ role, content: text }) =>
    role === 'assistant'
      ? [turnStart, ...answerHead, ...content(text), turnEnd, ...lineEnd]
      : [turnStart, ...model.tokenize(`${role}\n${text}`), turnEnd, ...lineEnd],
  )
  return [...turns, turnStart, ...answerHead]
}

async function answer(messages) {
  await sequence.clearHistory()
  const tokens = []
  let ended = false
  for await (const token of sequence.evaluate(promptTokens(messages), {
    temperature,
    topK: 0,
    topP: 1,
    minP: 0,
    seed: 1,
    yieldEogToken: true,
  })) {
    if (model.isEogToken(token)) {
      ended = true
      break
    }
    tokens.push(token)
    if (tokens.length >= LIMIT) break
  }
  return { text: model.detokenize(tokens, false), ended, count: tokens.length }
}

/** Mean log-probability of each candidate text as the answer, end of turn included. */
async function score(messages, candidates) {
  const prompt = promptTokens(messages)
  const means = []
  for (const candidate of candidates) {
    const tokens = [...model.tokenize(candidate), turnEnd]
    await sequence.clearHistory()
    const probe = (token, next) => [
      token,
      {
        generateNext: {
          logits: { filter: { tokens: [next], includeTop: 1 } },
          totalLogitWeight: true,
          options: { temperature: 1, topK: 0, topP: 1, minP: 0 },
        },
      },
    ]
    const input = [
      ...prompt.slice(0, -1),
      probe(prompt.at(-1), tokens[0]),
      ...tokens.slice(0, -1).map((token, index) => probe(token, tokens[index + 1])),
    ]
    const output = await sequence.controlledEvaluate(input)
    let sum = 0
    tokens.forEach((token, index) => {
      const { logits, totalLogitWeight } = output[prompt.length - 1 + index].next
      sum += logits.get(token) - Math.max(...logits.values()) - Math.log(totalLogitWeight)
    })
    means.push(sum / tokens.length)
  }
  return means
}

function softmax(numbers) {
  const top = Math.max(...numbers)
  const weights = numbers.map((number) => Math.exp(number - top))
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  return weights.map((weight) => weight / total)
}

const rows = new Map()
const failures = []
let asked = 0
let ended = 0

function count(set, good, failure) {
  const row = rows.get(set) ?? { right: 0, all: 0 }
  row.all++
  if (good) row.right++
  else failures.push({ set, ...failure })
  rows.set(set, row)
}

const begin = performance.now()
for (const [set, items] of Object.entries(sets)) {
  for (const { messages, answer: wanted } of items) {
    const { text, ended: atEnd } = await answer(messages)
    asked++
    if (atEnd) ended++
    const fallback = wanted.startsWith(FALLBACK)
    const good = fallback ? text.startsWith(FALLBACK) : text === wanted
    const failure = { messages, wanted, text }
    count(set, good, failure)
    // an honest "I do not know" is no wrong answer to a question worded in a new way
    if (set.endsWith('new phrase')) count(`${set}, or fallback`, good || text.startsWith(FALLBACK), failure)
    for (const group of ['skill', 'turns']) if (set.startsWith(`${group} `)) count(`${group}: all`, good, failure)
  }
}
for (const question of handWritten.offTopic) {
  const { text, ended: atEnd } = await answer([{ role: 'user', content: question }])
  asked++
  if (atEnd) ended++
  count('off topic, hand-written', text.startsWith(FALLBACK), { question, text })
}
const answered = performance.now()

function routerMessages(routes, request) {
  const lines = routes.map(({ name, description }) =>
    JSON.stringify({ name, description }).replaceAll('","', '", "').replaceAll('":"', '": "'),
  )
  return [
    { role: 'system', content: routerPrompt.replace('{routes}', lines.join('\n')) },
    { role: 'user', content: `${request}\n` },
  ]
}
const routeAnswer = (name) => `{"route": ${JSON.stringify(name)}}`
for (const [request, wanted] of handWritten.routing) {
  const names = handWritten.routes.map(({ name }) => name)
  const shares = softmax(await score(routerMessages(handWritten.routes, request), names.map(routeAnswer)))
  const best = names[shares.indexOf(Math.max(...shares))]
  const active = names.filter((_, index) => shares[index] >= DEMO_THRESHOLD)
  const failure = {
    request,
    wanted,
    shares: Object.fromEntries(names.map((name, index) => [name, Number(shares[index].toFixed(3))])),
  }
  count('routing, demo routes, best score', best === wanted, failure)
  count(
    `routing, demo routes, threshold ${DEMO_THRESHOLD}`,
    (active.length > 0 ? active.join() : best) === wanted,
    failure,
  )
}
for (const { messages, answer: wanted } of sets['routing, free answer'] ?? []) {
  const names = [...messages[0].content.matchAll(/^\{"name": ("[^"]*")/gm)].map((match) => JSON.parse(match[1]))
  const means = await score(messages, names.map(routeAnswer))
  count('routing, random routes, best score', routeAnswer(names[means.indexOf(Math.max(...means))]) === wanted, {
    messages,
    wanted,
  })
}

for (const set of [...rows.keys()].sort()) {
  const { right, all } = rows.get(set)
  console.log(
    `${((100 * right) / all).toFixed(1).padStart(6)} %  ${String(right).padStart(4)} of ${String(all).padEnd(4)}  ${set}`,
  )
}
console.log(
  `${ended} of ${asked} answers ended by themselves within ${LIMIT} tokens; ${((answered - begin) / asked).toFixed(0)} ms an answer; temperature ${temperature}`,
)
if (values.failures) writeFileSync(values.failures, JSON.stringify(failures, null, 1))
await llama.dispose()
