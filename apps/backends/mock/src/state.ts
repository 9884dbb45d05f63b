import type {
  backendMethods,
  extensionMethods,
  Method,
  MethodKind,
  ModelOptions,
  PartialMessage,
} from '@svc/backend-client/proto'
import type { HandlerContext } from '@svc/backend-kit'
import type { VectorStore } from './answers/vector-store.ts'
import type { MockBehaviour, MockScript } from './script.ts'
import type { Vocabulary } from './vocabulary.ts'

/** State of a mock process. */
export interface MockState {
  script: MockScript
  /** The current load. */
  loaded: ModelOptions | undefined
  /** Calls so far, by rpc. */
  readonly calls: Map<string, number>
  /** Transcriptions so far that had their text from a sequence. */
  transcriptions: number
  readonly store: VectorStore
  readonly vocabulary: Vocabulary
  /** Tokens of the last prediction. */
  last: { promptTokens: number; tokens: number }
  /** Tokens in each slot. */
  readonly slots: Map<number, number>
}

/** The context of an answer's call. */
export interface MockContext extends HandlerContext {
  readonly behaviour: MockBehaviour
  readonly mock: MockState
}

type AnswerOf<M> =
  M extends Method<'unary', infer Request, infer Reply>
    ? (request: Request, context: MockContext) => PartialMessage<Reply> | Promise<PartialMessage<Reply>>
    : M extends Method<'server-stream', infer Request, infer Reply>
      ? (request: Request, context: MockContext) => AsyncIterable<PartialMessage<Reply>>
      : M extends Method<'duplex', infer Request, infer Reply>
        ? (requests: AsyncIterable<Request>, context: MockContext) => AsyncIterable<PartialMessage<Reply>>
        : never

type AnswersOf<Methods extends Readonly<Record<string, Method<MethodKind, unknown, unknown>>>> = {
  readonly [Name in keyof Methods]: AnswerOf<Methods[Name]>
}

/** An answer to every rpc of the contract. */
export type BackendAnswers = AnswersOf<typeof backendMethods>

/** An answer to every rpc of the extensions. */
export type ExtensionAnswers = AnswersOf<typeof extensionMethods>
