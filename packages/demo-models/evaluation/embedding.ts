import type { EmbeddingSets } from './sets.ts'
import { Tally } from './tally.ts'

/** Calls an embedding model: texts in, vectors of length 1 out. */
export type Embed = (texts: readonly string[]) => Promise<readonly (readonly number[])[]>

/** Result of {@link evaluateEmbedding}. */
export interface EmbeddingResult {
  readonly tally: Tally
  /** Mean cosine of a held-out question and a known one of its topic, -1 to 1. */
  readonly related: number
  /** Mean cosine of a held-out question and known ones of other topics. */
  readonly unrelated: number
  /** Share of related pairs that are nearer than unrelated ones, 0.5 (chance) to 1. */
  readonly auc: number
}

/** Documents of a rerank: the right one and this many others. */
const OTHERS = 7

/** Scores an embedding model on held-out questions, own answers and general texts. */
export async function evaluateEmbedding(
  embed: Embed,
  sets: EmbeddingSets,
  generalPairs: readonly (readonly [string, string])[],
): Promise<EmbeddingResult> {
  const tally = new Tally()
  const questions = await embedTexts(embed, sets.questions)
  const known = await embedTexts(embed, sets.known)
  const related: number[] = []
  const unrelated: number[] = []
  for (const question of questions) {
    const cosines = known.map(({ vector }) => cosine(question.vector, vector))
    for (const [index, { topic }] of known.entries()) {
      const list = topic === question.topic ? related : unrelated
      list.push(cosines[index] ?? 0)
    }
    const found = known[cosines.indexOf(Math.max(...cosines))]
    tally.count(`right intent first, ${question.kind}`, found?.topic === question.topic, {
      asked: question.text,
      wanted: question.topic,
      given: found?.text ?? '',
    })
  }
  await rankAnswers(embed, { sets, questions, tally })
  await rankGeneral(embed, generalPairs, tally)
  return { tally, related: mean(related), unrelated: mean(unrelated), auc: areaUnderCurve(related, unrelated) }
}

type Embedded<Text> = Text & { readonly vector: readonly number[] }

async function embedTexts<Text extends { readonly text: string }>(embed: Embed, texts: readonly Text[]) {
  const vectors = await embed(texts.map(({ text }) => text))
  return texts.map((text, index): Embedded<Text> => ({ ...text, vector: vectors[index] ?? [] }))
}

/** Held-out questions of the help topics: is the own answer first among eight? */
async function rankAnswers(
  embed: Embed,
  asked: {
    readonly sets: EmbeddingSets
    readonly questions: readonly Embedded<EmbeddingSets['questions'][number]>[]
    readonly tally: Tally
  },
): Promise<void> {
  const topics = asked.sets.answers.map((answer) => answer.topic)
  const vectors = await embed(asked.sets.answers.map((answer) => answer.text))
  for (const { topic, text, kind, vector } of asked.questions) {
    const own = topics.indexOf(topic)
    if (own < 0 || kind !== 'new phrase') continue
    // the others are at fixed distances in the list of topics, so every run ranks the same
    const places = Array.from({ length: OTHERS + 1 }, (_, step) => (own + step * 13) % topics.length)
    const cosines = places.map((place) => cosine(vector, vectors[place] ?? []))
    const first = places[cosines.indexOf(Math.max(...cosines))] ?? own
    asked.tally.count('own answer first among 8', first === own, {
      asked: text,
      wanted: topic,
      given: topics[first] ?? '',
    })
  }
}

async function rankGeneral(embed: Embed, pairs: readonly (readonly [string, string])[], tally: Tally): Promise<void> {
  const questions = await embed(pairs.map(([question]) => question))
  const texts = await embed(pairs.map(([, text]) => text))
  pairs.forEach(([question, text], index) => {
    const cosines = texts.map((vector) => cosine(questions[index] ?? [], vector))
    const first = cosines.indexOf(Math.max(...cosines))
    const failure = { asked: question, wanted: text, given: pairs[first]?.[1] ?? '' }
    tally.count(`general text first among ${pairs.length}`, first === index, failure)
  })
}

function cosine(left: readonly number[], right: readonly number[]): number {
  return left.reduce((sum, value, index) => sum + value * (right[index] ?? 0), 0)
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

/** By ranks: the chance that a value of the first list is above one of the second, ties counted half. */
function areaUnderCurve(above: readonly number[], below: readonly number[]): number {
  const sorted = below.toSorted((a, b) => a - b)
  const under = (value: number, orEqual: boolean): number => {
    let [low, high] = [0, sorted.length]
    while (low < high) {
      const middle = (low + high) >> 1
      const at = sorted[middle] ?? 0
      if (at < value || (orEqual && at === value)) low = middle + 1
      else high = middle
    }
    return low
  }
  return mean(above.map((value) => (under(value, false) + under(value, true)) / 2 / sorted.length))
}
