/**
 * The stages of inference requests and the times of their traces.
 *
 * @module
 */

/** A stage that every inference request passes. */
interface StageFacts {
  /** Description of the stage: one lower-case phrase. */
  readonly about: string
  /** Whether the stage settles only if the request may run; the phase `admission` is the sum of these. */
  readonly isAdmission?: true
}

/** The stages of every inference request, in order. */
export const REQUEST_STAGES = {
  body: {
    about: 'reads the bytes once, guards depth and size, keeps a token tree with byte offsets',
    isAdmission: true,
  },
  resolve: { about: "finds the model of the name, or the default of the route's usecase", isAdmission: true },
  globalLimit: { about: 'global limit of concurrent inference, 429', isAdmission: true },
  router: { about: "a router's request: picks the model that serves it; the stages that follow see that one" },
  access: { about: 'access lists, disabled models, and quotas, on the resolved model', isAdmission: true },
  modelLimit: { about: "the model's own limit, 429", isAdmission: true },
  pii: { about: 'finds private text: 400, 503, or edits as splices of the original bytes' },
  parse: { about: 'schema and mapping to the domain' },
  model: { about: 'runs the prediction on its executor, taps the lanes, records usage and trace' },
  reply: { about: 'one JSON body, or a stream whose headers wait for the first event' },
} as const satisfies Readonly<Record<string, StageFacts>>

/** Name of a stage. */
export type RequestStage = keyof typeof REQUEST_STAGES

/** Further times of a request that no stage has by itself. */
export const REQUEST_MARKS = {
  admission: 'the sum of the stages that settle whether the request may run',
  load: 'the wait for the model; absent for a relayed request',
  prompt: 'from the loaded model to the first token',
  first_byte: 'from the arrival of the request to the first byte of its reply',
  first_token: 'from the arrival of the request to the first token of its reply',
  total: 'from the arrival of the request to its end',
} as const satisfies Readonly<Record<string, string>>

/** Name of a time in the `phases` of a trace. */
export type RequestPhase = RequestStage | keyof typeof REQUEST_MARKS
