/** Names of the gRPC statuses a script can fail with. */
export const STATUS_CODES = {
  CANCELLED: 1,
  UNKNOWN: 2,
  INVALID_ARGUMENT: 3,
  DEADLINE_EXCEEDED: 4,
  NOT_FOUND: 5,
  ALREADY_EXISTS: 6,
  PERMISSION_DENIED: 7,
  RESOURCE_EXHAUSTED: 8,
  FAILED_PRECONDITION: 9,
  ABORTED: 10,
  OUT_OF_RANGE: 11,
  UNIMPLEMENTED: 12,
  INTERNAL: 13,
  UNAVAILABLE: 14,
  DATA_LOSS: 15,
  UNAUTHENTICATED: 16,
} as const

/** A failed call. */
export interface MockFailure {
  readonly status: keyof typeof STATUS_CODES
  readonly message: string
  /** Pieces of a stream that come before it. @default 0 */
  readonly afterPieces?: number | undefined
}

/** The end of the whole process. */
export interface MockCrash {
  /** An orderly exit, an abort with a core signal, or a KILL that cannot be caught. */
  readonly how: 'exit' | 'abort' | 'kill'
  /** Exit code of `exit`. @default 1 */
  readonly code?: number | undefined
  /** Written to stderr before it. */
  readonly stderr?: string | undefined
  /** Pieces of a stream that come before it. @default 0 */
  readonly afterPieces?: number | undefined
}

/** A tool call that the model makes. */
export interface MockToolCall {
  readonly id?: string | undefined
  readonly name: string
  /** A value, written as JSON; text is sent as it is, well-formed or not. */
  readonly arguments: unknown
}

/** The file that a call leaves in the place of its own. */
export type MockFile =
  /** An empty file, no file, or a folder. */
  | { readonly as: 'empty' | 'nothing' | 'folder' }
  | { readonly as: 'link'; readonly to: string }
  /** @param bytes of the whole file, which is sparse behind its content. @default the length of the content */
  | { readonly as: 'file'; readonly base64: string; readonly bytes?: number | undefined }

/** A text that a transcription gives. */
export interface MockTranscript {
  readonly text: string
  /** Longest sound that has this text, in seconds. @default any */
  readonly maxSeconds?: number | undefined
}

/** Behaviour of a call. Every field is optional; without any the mock gives its own deterministic answer. */
export interface MockBehaviour {
  /** Wait before the answer, or before its first piece. */
  readonly delayMs?: number | undefined
  /** Wait before each further piece of a stream. */
  readonly pieceDelayMs?: number | undefined
  readonly failure?: MockFailure | undefined
  readonly crash?: MockCrash | undefined
  /** Stops after this many pieces, until the caller cancels; `true` is 0. */
  readonly hang?: boolean | number | undefined
  /** Answers with `success: false` and this message, where the answer is a `Result`. */
  readonly refuse?: string | undefined
  /** The file behind the path `dst` of the request. @default the mock's own picture, film or sound */
  readonly writes?: MockFile | undefined
  /** Fields laid over the answer of a unary call, such as `{ entities: [] }`. */
  readonly answer?: Readonly<Record<string, unknown>> | undefined

  /** Text of a prediction, split by `split`; of a transcription; of a turn of an any-to-any model. */
  readonly text?: string | undefined
  /** Exact pieces of a prediction, in place of `text`; limits do not cut them. */
  readonly pieces?: readonly string[] | undefined
  /** Pieces of the text: whole words, characters, or single bytes that break characters apart. @default 'words' */
  readonly split?: 'words' | 'characters' | 'bytes' | undefined
  /** Repeats all pieces this many times: long or endless streams. @default 1 */
  readonly repeat?: number | undefined
  /** Texts of transcriptions by the length of the sound: the first that is not too short for it. Precedes `text`. */
  readonly transcripts?: readonly MockTranscript[] | undefined
  /** Texts of transcriptions in their order, counted over all calls; the last one repeats. Precedes `transcripts`. */
  readonly texts?: readonly string[] | undefined
  /** Length of speech for each character of its text. @default a tenth of a second for each word */
  readonly secondsPerCharacter?: number | undefined
  /** Thoughts of a prediction, always as chat deltas. */
  readonly reasoning?: string | undefined
  /** Tool calls of a prediction, or of a turn of an any-to-any model. */
  readonly toolCalls?: readonly MockToolCall[] | undefined
  /**
   * Channel of text and tool calls: raw text as a model writes it, chat deltas parsed by the backend, or the text in
   * both.
   *
   * @default 'text'
   */
  readonly via?: 'text' | 'deltas' | 'both' | undefined
  /** Sends log probabilities. @default when the request asks for them */
  readonly logprobs?: boolean | undefined
  /** Reported prompt tokens. @default the words of the prompt */
  readonly promptTokens?: number | undefined
  /** Completion tokens reported at the end. @default one a piece */
  readonly completionTokens?: number | undefined
}

/** A behaviour for the calls that match all given conditions. */
export interface MockRule {
  /** Name of the rpc, such as `PredictStream`; `Predict*` matches both. @default any rpc of a request */
  readonly rpc?: string | undefined
  /** Text that occurs in the request, anywhere. @default any */
  readonly contains?: string | undefined
  /** The n-th call of its rpc, from 1. @default any */
  readonly call?: number | undefined
  readonly do: MockBehaviour
}

/** The script of a mock. */
export interface MockScript {
  /** File to which every call is appended as JSON lines. @default none */
  readonly record?: string | undefined
  /** The first rule that matches a call decides. */
  readonly rules?: readonly MockRule[] | undefined
  /** Floats of an embedding. @default 64 */
  readonly embeddingDimension?: number | undefined
  /** One vector a text, or one a token. @default 'final' */
  readonly embeddingLayout?: 'final' | 'per-token' | undefined
  /** Size of a saved slot, in bytes; the file is sparse. @default the size of its content */
  readonly slotBytes?: number | undefined
  /** Rpcs that answer UNIMPLEMENTED. @default none */
  readonly without?: readonly string[] | undefined
}

/**
 * Options of `LoadModel` (`options:` of a model file) that carry a script to the mock.
 *
 * @example
 * mockOptions({ rules: [{ rpc: 'Predict*', do: { text: 'Hello', pieceDelayMs: 20 } }] })
 */
export function mockOptions(script: MockScript): string[] {
  return [`script:${JSON.stringify(script)}`]
}
