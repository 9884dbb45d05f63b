import type { ChatModel, Turn } from './engine.ts'
import { type HandWritten, type Item, routerPrompt } from './sets.ts'
import { Tally } from './tally.ts'

/** The beginning of every honest "I do not know". */
const FALLBACK = 'I am a very small demo model and '
/** The threshold of the four demo routes: a label is active from this share on. */
const DEMO_THRESHOLD = 0.5

/** Questions and sampling of an evaluation. */
export interface ChatQuestions {
  readonly items: ReadonlyMap<string, readonly Item[]>
  readonly handWritten: HandWritten
  /** @default 0 */
  readonly temperature?: number | undefined
}

/** Scores a chat model: answers letter by letter, routes by their log-probabilities. */
export async function evaluateChat(
  model: ChatModel,
  { items, handWritten, temperature = 0 }: ChatQuestions,
): Promise<Tally> {
  const tally = new Tally()
  for (const [set, questions] of items) {
    for (const question of questions) await ask(model, { set, question, temperature, tally })
  }
  for (const text of handWritten.offTopic) {
    const question = { messages: [{ role: 'user', content: text }], answer: FALLBACK }
    await ask(model, { set: 'off topic, hand-written', question, temperature, tally })
  }
  if (temperature === 0) {
    for (const [request, route] of handWritten.routing) {
      await routeDemo(model, { request, route, routes: handWritten.routes, tally })
    }
    for (const item of items.get('routing, free answer') ?? []) await routeRandom(model, item, tally)
  }
  return tally
}

async function ask(
  model: ChatModel,
  { set, question, temperature, tally }: Asked & { readonly question: Item; readonly temperature: number },
): Promise<void> {
  const { messages, answer } = question
  // a seed for each question: with one for all, the same unlikely draw would begin every answer
  const { text, ended } = await model.answer(messages, { temperature, seed: tally.answers })
  const fell = text.startsWith(FALLBACK)
  const isRight = answer.startsWith(FALLBACK) ? fell : text === answer
  const failure = { asked: messages, wanted: answer, given: text }
  tally.count(set, isRight, failure)
  // an honest "I do not know" is not a wrong answer to a question worded in a new way
  if (set.endsWith('new phrase')) tally.count(`${set}, or fallback`, isRight || fell, failure)
  for (const [group, all] of GROUPS) if (set.startsWith(group)) tally.count(all, isRight, failure)
  tally.countAnswer(ended, failure)
}

interface Asked {
  readonly set: string
  readonly tally: Tally
}

const GROUPS = [
  ['skill ', 'skills, new wording'],
  ['turns ', 'several turns'],
] as const

const routeAnswer = (name: string): string => `{"route": ${JSON.stringify(name)}}`

async function routeDemo(
  model: ChatModel,
  asked: { readonly request: string; readonly route: string; readonly tally: Tally } & Pick<HandWritten, 'routes'>,
): Promise<void> {
  const { request, route, routes, tally } = asked
  const names = routes.map(({ name }) => name)
  const shares = softmax(await model.score(routerTurns(routes, request), names.map(routeAnswer)))
  const best = findBest(names, shares)
  const active = names.filter((_, index) => (shares[index] ?? 0) >= DEMO_THRESHOLD)
  const failure = {
    asked: request,
    wanted: route,
    given: names.map((name, i) => `${name} ${shares[i]?.toFixed(3)}`).join(),
  }
  tally.count('routing, demo routes, best score', best === route, failure)
  const chosen = active.length > 0 ? active.join() : best
  tally.count(`routing, demo routes, threshold ${DEMO_THRESHOLD}`, chosen === route, failure)
}

async function routeRandom(model: ChatModel, { messages, answer }: Item, tally: Tally): Promise<void> {
  const listed = messages[0]?.content.matchAll(/^\{"name": ("[^"]*")/gm) ?? []
  const names = [...listed].map((match) => String(JSON.parse(match[1] ?? '""')))
  const given = routeAnswer(findBest(names, await model.score(messages, names.map(routeAnswer))))
  tally.count('routing, random routes, best score', given === answer, { asked: messages, wanted: answer, given })
}

function routerTurns(routes: HandWritten['routes'], request: string): readonly Turn[] {
  const lines = routes.map(
    ({ name, description }) => `{"name": ${JSON.stringify(name)}, "description": ${JSON.stringify(description)}}`,
  )
  return [
    { role: 'system', content: routerPrompt.replace('{routes}', lines.join('\n')) },
    { role: 'user', content: `${request}\n` },
  ]
}

function findBest(names: readonly string[], values: readonly number[]): string {
  return names[values.indexOf(Math.max(...values))] ?? ''
}

function softmax(values: readonly number[]): readonly number[] {
  const top = Math.max(...values)
  const weights = values.map((value) => Math.exp(value - top))
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  return weights.map((weight) => weight / total)
}
