import type { Capabilities, Capability } from '../../lib/capabilities.ts'
import { hasFeature, type Viewer } from '../../lib/session.ts'

/** Kinds of calls with texts in and figures out. */
const TEXT_KINDS = ['embeddings', 'rerank', 'tokenize', 'moderation', 'score'] as const
/** Kinds of calls with sound or pictures. */
const MEDIA_KINDS = ['speech', 'transcription', 'images', 'detection', 'video'] as const
/** The kinds of calls to try here, in the order of the choices. */
const KINDS = [...TEXT_KINDS, ...MEDIA_KINDS] as const

export type TextKind = (typeof TEXT_KINDS)[number]
export type MediaKind = (typeof MEDIA_KINDS)[number]
export type Kind = TextKind | MediaKind

/** Properties of a kind: its path, its input, and its models and viewers. */
interface KindFacts {
  /** The usecase of models that serve it. */
  readonly usecase: string
  /** The feature of viewers; undefined for a kind that only admins may use. */
  readonly feature: Extract<Capability, string> | undefined
  readonly path: string
  /** Whether the first text goes with a list, one entry a line. @default false */
  readonly hasList?: boolean
}

const FACTS: Readonly<Record<Kind, KindFacts>> = {
  embeddings: { usecase: 'embeddings', feature: 'embeddings', path: '/v1/embeddings' },
  rerank: { usecase: 'rerank', feature: 'rerank', path: '/v1/rerank', hasList: true },
  tokenize: { usecase: 'tokenize', feature: 'tokenize', path: '/v1/tokenize' },
  moderation: { usecase: 'completion', feature: 'moderation', path: '/v1/moderations' },
  score: { usecase: 'score', feature: undefined, path: '/api/score', hasList: true },
  speech: { usecase: 'tts', feature: 'audio_speech', path: '/v1/audio/speech' },
  transcription: { usecase: 'transcript', feature: 'audio_transcription', path: '/v1/audio/transcriptions' },
  images: { usecase: 'image', feature: 'images', path: '/v1/images/generations' },
  detection: { usecase: 'detection', feature: 'detection', path: '/v1/detection' },
  video: { usecase: 'video', feature: 'video', path: '/v1/video/generations' },
}

export function readKindFacts(kind: Kind): KindFacts {
  return FACTS[kind]
}

export function isKind(text: string): text is Kind {
  return KINDS.some((kind) => kind === text)
}

export function isMediaKind(kind: Kind): kind is MediaKind {
  return MEDIA_KINDS.some((each) => each === kind)
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
} as const satisfies Record<TextKind, (model: string, input: Input) => object>

/** Whether the form holds enough to send. */
export function isComplete(kind: TextKind, model: string | undefined, { text, list }: Input): boolean {
  const hasText = kind === 'tokenize' ? text !== '' : text.trim() !== ''
  return model !== undefined && hasText && (FACTS[kind].hasList !== true || splitLines(list).length > 0)
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
