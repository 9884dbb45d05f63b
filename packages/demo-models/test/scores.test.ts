import { demoModels } from '@svc/demo-models'
import type { Llama } from 'node-llama-cpp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { evaluateChat } from '../evaluation/chat.ts'
import { evaluateEmbedding } from '../evaluation/embedding.ts'
import { ChatModel, embedAll, startEngine } from '../evaluation/engine.ts'
import { chatSets, embeddingSets, generalPairs, handWritten } from '../evaluation/sets.ts'
import { percent, type Tally } from '../evaluation/tally.ts'

/** One question in four of every set is asked. */
const EVERY = 4
const sample = <Item>(items: readonly Item[]): readonly Item[] => items.filter((_, index) => index % EVERY === 0)

/**
 * Floor of the committed weights on the sample, in per cent: the measured value, less a margin for rounding on other
 * CPUs. The README has the full sets.
 */
const CHAT_FLOORS: Readonly<Record<string, number>> = {
  'help, known phrase': 92,
  'help, new pattern': 84,
  'help, new phrase, or fallback': 50,
  'small talk, known phrase': 88,
  'small talk, new phrase, or fallback': 64,
  'skills, new wording': 89,
  'several turns': 64,
  'tool call, known tool name': 70,
  'tool call, new tool name': 37,
  'tool not fitting': 92,
  'off topic, templates': 80,
  'off topic, hand-written': 88,
  'routing, demo routes, best score': 75,
  'routing, random routes, best score': 64,
}

let llama: Llama
beforeAll(async () => {
  llama = await startEngine()
})
afterAll(() => llama.dispose())

const findFile = (wanted: string): string => demoModels.find(({ name }) => name === wanted)?.file ?? ''

function measured(tally: Tally): Record<string, number> {
  return Object.fromEntries(tally.scores().map((score) => [score.set, percent(score)]))
}

describe('the committed chat model', () => {
  let scores: Record<string, number>
  beforeAll(async () => {
    await using model = await ChatModel.load(llama, findFile('demo'))
    const items = new Map([...chatSets].map(([set, questions]) => [set, sample(questions)]))
    const asked = { ...handWritten, offTopic: sample(handWritten.offTopic) }
    scores = measured(await evaluateChat(model, { items, handWritten: asked }))
  })

  test('ends every answer by itself', () => {
    expect(scores['ends by itself within 200 tokens']).toBe(100)
  })

  test.each(Object.entries(CHAT_FLOORS))('%s: at least %i per cent', (set, floor) => {
    expect(scores[set]).toBeGreaterThanOrEqual(floor)
  })
})

describe('the committed embedding model', () => {
  test('finds topics, answers and general texts as recorded', async () => {
    const embed = (texts: readonly string[]) => embedAll(llama, findFile('demo-embed'), texts)
    const result = await evaluateEmbedding(embed, embeddingSets, generalPairs)
    expect(result.auc).toBeGreaterThan(0.97)
    expect(result.related).toBeGreaterThan(result.unrelated + 0.35)
    const scores = measured(result.tally)
    expect(scores['right intent first, new pattern']).toBeGreaterThanOrEqual(85)
    expect(scores['right intent first, new phrase']).toBeGreaterThanOrEqual(55)
    expect(scores['own answer first among 8']).toBeGreaterThanOrEqual(85)
    expect(scores[`general text first among ${generalPairs.length}`]).toBeGreaterThanOrEqual(75)
  })
})
