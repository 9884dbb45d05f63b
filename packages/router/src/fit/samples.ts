import { systemClock } from '../clock.ts'
import { embedTexts } from '../corpus/embed-texts.ts'
import type { LineProblem } from '../corpus/load-entries.ts'
import type { Embedder, OptionalSignal } from '../ports.ts'
import { checkSettings, type RouterSettings } from '../settings.ts'
import type { Vector } from '../vector/ports.ts'

/** The labels of a text, or the model that should serve it. */
export interface Expectation {
  /** Empty for a text that belongs to no label: the fallback should serve it. */
  readonly labels: readonly string[]
  /** The model that should serve; undefined for the model that the labels lead to. */
  readonly model?: string | undefined
}

/** A labelled text. */
export interface LabelledText extends Expectation {
  readonly text: string
}

/** A labelled text with its vector. */
export interface EmbeddedText extends LabelledText {
  readonly vector: Vector
}

/** The labelled texts of a file. */
export interface EmbeddedTexts {
  readonly texts: readonly EmbeddedText[]
  /** The first of the lines that could not be used. */
  readonly problems: readonly LineProblem[]
  readonly problemCount: number
}

/** Lines that are named. */
export const MAX_NAMED = 100
/** Texts of one file that are embedded. */
const MAX_EMBEDDED = 10_000

/** The first problems of lines, and their number. */
export interface ProblemList {
  readonly named: readonly LineProblem[]
  readonly count: number
  add(line: number, problem: string): void
}

/** A list of problems, empty. */
export function createProblemList(): ProblemList {
  const named: LineProblem[] = []
  let count = 0
  return {
    named,
    get count() {
      return count
    },
    add(line, problem) {
      count++
      if (named.length < MAX_NAMED) named.push({ line, problem })
    },
  }
}

/**
 * Reads labelled texts, one JSON object a line: `{"text": "...", "labels": ["..."]}`, or `"model"` in the place of
 * `labels`. Empty lines are passed over, and lines that cannot be used are added to the problems.
 */
export async function* readLabelledTexts(
  lines: AsyncIterable<string> | Iterable<string>,
  { policies }: Pick<RouterSettings, 'policies'>,
  problems: ProblemList,
): AsyncGenerator<LabelledText & { readonly line: number }, void, undefined> {
  const declared = new Set(policies.map(({ label }) => label))
  let line = 0
  for await (const text of lines) {
    line++
    if (text.trim() === '') continue
    const read = parseLine(text, declared)
    if ('problem' in read) problems.add(line, read.problem)
    else yield { ...read, line }
  }
}

function parseLine(line: string, declared: ReadonlySet<string>): LabelledText | { readonly problem: string } {
  const unfit = { problem: 'is not text with labels or a model' }
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    return unfit
  }
  if (typeof value !== 'object' || value === null) return unfit
  const { text, labels, model } = value as Partial<Record<string, unknown>>
  if (typeof text !== 'string') return unfit
  if (typeof model === 'string') return { text, labels: [], model }
  if (!Array.isArray(labels) || !labels.every((label) => typeof label === 'string')) return unfit
  const unknown = labels.find((label) => !declared.has(label))
  if (unknown !== undefined) return { problem: `names "${unknown.slice(0, 100)}", which is not a label of policies` }
  return { text, labels: [...new Set(labels)] }
}

/**
 * Reads labelled texts and embeds them as the router embeds prompts, for {@link fitKnnThresholds}.
 *
 * @throws the error of the embedder; the signal's reason
 */
export async function embedLabelledTexts(
  lines: AsyncIterable<string> | Iterable<string>,
  {
    settings,
    embedder,
    signal = new AbortController().signal,
    caller,
  }: OptionalSignal & { readonly settings: RouterSettings; readonly embedder: Embedder },
): Promise<EmbeddedTexts> {
  checkSettings(settings, 'embedLabelledTexts: settings')
  const problems = createProblemList()
  const read: (LabelledText & { readonly line: number })[] = []
  for await (const labelled of readLabelledTexts(lines, settings, problems)) {
    if (read.length < MAX_EMBEDDED) read.push(labelled)
    else problems.add(labelled.line, `is beyond the ${MAX_EMBEDDED} texts that are embedded`)
  }
  const vectors = await embedTexts(
    embedder,
    read.map(({ text }) => text),
    { signal, caller, clock: systemClock },
  )
  const texts = read.flatMap(({ line, ...labelled }, index): EmbeddedText[] => {
    const vector = vectors[index]
    if (vector !== undefined) return [{ ...labelled, vector }]
    problems.add(line, 'has no usable vector')
    return []
  })
  return { texts, problems: problems.named, problemCount: problems.count }
}
