import type { Capabilities } from '../../lib/capabilities.ts'
import { hasFeature, type Viewer } from '../../lib/session.ts'

/** The kinds of calls to try here, in the order of the choices. */
export const KINDS = ['embeddings', 'rerank', 'tokenize', 'moderation', 'score'] as const

export type Kind = (typeof KINDS)[number]

/** Properties of a kind: its path, its input, and its models and viewers. */
interface KindFacts {
  /** The usecase of models that serve it. */
  readonly usecase: string
  /** The feature of viewers; undefined for a kind that only admins may use. */
  readonly feature: 'embeddings' | 'rerank' | 'tokenize' | 'moderation' | undefined
  readonly path: string
  /** Whether the first text goes with a list, one entry a line. */
  readonly hasList: boolean
}

const FACTS: Readonly<Record<Kind, KindFacts>> = {
  embeddings: { usecase: 'embeddings', feature: 'embeddings', path: '/v1/embeddings', hasList: false },
  rerank: { usecase: 'rerank', feature: 'rerank', path: '/v1/rerank', hasList: true },
  tokenize: { usecase: 'tokenize', feature: 'tokenize', path: '/v1/tokenize', hasList: false },
  moderation: { usecase: 'completion', feature: 'moderation', path: '/v1/moderations', hasList: false },
  score: { usecase: 'score', feature: undefined, path: '/api/score', hasList: true },
}

export function readKindFacts(kind: Kind): KindFacts {
  return FACTS[kind]
}

export function isKind(text: string): text is Kind {
  return KINDS.some((kind) => kind === text)
}

/** Kinds that the server serves and the viewer may use. */
export function listKinds(capabilities: Partial<Capabilities>, viewer: Viewer): Kind[] {
  return KINDS.filter((kind) => {
    const { feature } = FACTS[kind]
    return feature === undefined ? viewer.isAdmin : capabilities[feature] === true && hasFeature(viewer, feature)
  })
}

/** Content of the form. */
export interface Input {
  readonly text: string
  /** One entry a line. */
  readonly list: string
}

/** Lines that hold something. */
export function splitLines(text: string): string[] {
  return text.split('\n').filter((line) => line.trim() !== '')
}

/** The body of each kind. */
export const BODIES = {
  embeddings: (model: string, { text }: Input) => ({ model, input: splitLines(text) }),
  rerank: (model: string, { text, list }: Input) => ({ model, query: text, documents: splitLines(list) }),
  tokenize: (model: string, { text }: Input) => ({ model, content: text }),
  moderation: (model: string, { text }: Input) => ({ model, input: splitLines(text) }),
  score: (model: string, { text, list }: Input) => ({
    model,
    prompt: text,
    candidates: splitLines(list),
    length_normalize: true,
  }),
} as const satisfies Record<Kind, (model: string, input: Input) => object>

/** Whether the form holds enough to send. */
export function isComplete(kind: Kind, model: string | undefined, { text, list }: Input): boolean {
  const hasText = kind === 'tokenize' ? text !== '' : text.trim() !== ''
  return model !== undefined && hasText && (!FACTS[kind].hasList || splitLines(list).length > 0)
}

/** The same call for a shell. @param needsKey whether the server asks for a key */
export function writeCurl(url: string, body: object, needsKey: boolean): string {
  const quoted = `'${JSON.stringify(body, null, 2).replaceAll("'", String.raw`'\''`)}'`
  const key = needsKey ? ` \\\n  -H "Authorization: Bearer $KEY"` : ''
  return `curl ${url}${key} \\\n  -H 'Content-Type: application/json' \\\n  -d ${quoted}`
}

/** The cosine of the angle between two vectors; 0 where one has no length. */
export function compareVectors(left: readonly number[], right: readonly number[]): number {
  let product = 0
  let leftSquare = 0
  let rightSquare = 0
  for (const [index, value] of left.entries()) {
    const other = right[index] ?? 0
    product += value * other
    leftSquare += value * value
    rightSquare += other * other
  }
  const length = Math.sqrt(leftSquare * rightSquare)
  return length === 0 ? 0 : product / length
}
