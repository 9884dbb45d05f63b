import { backendMethods, extensionMethods } from '@svc/backend-client/proto'
import type { BackendHandlers, ExtensionHandlers } from '@svc/backend-kit'
import { audioAnswers } from './answers/audio.ts'
import { conversationAnswers } from './answers/conversation.ts'
import { extensionAnswers } from './answers/extensions.ts'
import { faceAnswers } from './answers/faces.ts'
import { forwardAnswers } from './answers/forward.ts'
import { imageAnswers } from './answers/image.ts'
import { jobsAnswers } from './answers/jobs.ts'
import { lifecycleAnswers } from './answers/lifecycle.ts'
import { predictAnswers } from './answers/predict.ts'
import { speechAnswers } from './answers/speech.ts'
import { storesAnswers } from './answers/stores.ts'
import { textAnswers } from './answers/text.ts'
import { transcriptionAnswers } from './answers/transcription.ts'
import { createVectorStore } from './answers/vector-store.ts'
import { visionAnswers } from './answers/vision.ts'
import { voiceAnswers } from './answers/voices.ts'
import { createRecorder } from './recorder.ts'
import type { MockScript } from './script.ts'
import { type Scripting, scriptStream, scriptUnary, toRpcName } from './scripted.ts'
import type { BackendAnswers, MockState } from './state.ts'
import { createVocabulary } from './vocabulary.ts'

/** An answer to every rpc: the compiler finds a missing one. */
const answers: BackendAnswers = {
  ...lifecycleAnswers,
  ...predictAnswers,
  ...textAnswers,
  ...storesAnswers,
  ...audioAnswers,
  ...conversationAnswers,
  ...speechAnswers,
  ...transcriptionAnswers,
  ...imageAnswers,
  ...visionAnswers,
  ...faceAnswers,
  ...voiceAnswers,
  ...jobsAnswers,
  ...forwardAnswers,
}

/** A scripted backend, ready to be served. */
export interface MockBackend {
  readonly handlers: BackendHandlers
  readonly extensions: ExtensionHandlers
}

/** Creates a mock that follows a script until a load brings another. */
export function createMock(startScript: MockScript = {}): MockBackend {
  const mock: MockState = {
    script: startScript,
    loaded: undefined,
    calls: new Map(),
    transcriptions: 0,
    store: createVectorStore(),
    vocabulary: createVocabulary(),
    last: { promptTokens: 0, tokens: 0 },
    slots: new Map(),
  }
  const scripting: Scripting = { mock, recorder: createRecorder(() => mock.script.record), startScript }
  return {
    // Each handler wraps the answer of the same name, behind the same method.
    handlers: scriptAll(backendMethods, answers, scripting) as BackendHandlers,
    extensions: scriptAll(extensionMethods, extensionAnswers, scripting) as ExtensionHandlers,
  }
}

function scriptAll(
  methods: Readonly<Record<string, { readonly path: string; readonly kind: string }>>,
  all: object,
  scripting: Scripting,
): object {
  const entries = Object.entries(methods).map(([name, { path, kind }]) => {
    const answer: unknown = Reflect.get(all, name)
    if (typeof answer !== 'function') throw new TypeError(`no answer to ${path}`)
    const call = (input: unknown, context: unknown): unknown => Reflect.apply(answer, all, [input, context])
    const script = kind === 'unary' ? scriptUnary : scriptStream
    return [name, script(toRpcName(path), call, scripting)] as const
  })
  return Object.fromEntries(entries)
}
