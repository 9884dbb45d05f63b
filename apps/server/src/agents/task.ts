/** What happens to a time of a schedule that passed while no server was there: nothing, or one run afterwards. */
export type MissedRuns = 'skip' | 'once'

/** A kind of media that a job can hand to its model. */
export type MediaType = 'image' | 'video' | 'audio' | 'file'

/** A medium that each job fetches before it runs. */
export interface MediaAddress {
  readonly type: MediaType
  readonly url: string
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** What an administrator says about a task. */
export interface TaskDraft {
  readonly name: string
  readonly description: string
  /** Name of a model, or of an agent. */
  readonly model: string
  /** A template of Go's `text/template`. Parameters are its data. */
  readonly prompt: string
  /** A task that is not enabled runs in no way. */
  readonly enabled: boolean
  /** Five fields, or a name such as `@daily`; empty without a schedule. */
  readonly cron: string
  /** IANA name of a time zone. */
  readonly cronTimezone: string
  readonly cronMissed: MissedRuns
  readonly cronParameters: Readonly<Record<string, string>>
  readonly mediaSources: readonly MediaAddress[]
}

/** A task. */
export interface AgentTask extends TaskDraft {
  readonly id: string
  /** Id of the principal that made it. */
  readonly owner: string
  /** The next time of the schedule, milliseconds since the epoch. */
  readonly nextRunAt: number | undefined
  readonly createdAt: number
  readonly updatedAt: number
}

/** Limits of tasks and their jobs. */
export const AGENT_LIMITS = {
  tasks: 1000,
  agents: 200,
  /** Jobs that wait for a server. */
  waitingJobs: 1000,
  /** Jobs of one server at a time. */
  runningJobs: 4,
  /** Most times that a job begins: one that ends its server each time would do so for ever. */
  takes: 10,
  nameLength: 200,
  promptLength: 262_144,
  descriptionLength: 10_000,
  parameters: 100,
  parameterLength: 65_536,
  /** Media of one request, and addresses of one task. */
  media: 20,
  /** Bytes of the media of one job, as base64. */
  mediaBytes: 33_554_432,
  steps: 2000,
  /** Characters of one step that are kept. */
  stepLength: 262_144,
  /** Characters of the steps of one run. */
  traceLength: 33_554_432,
  resultLength: 4_194_304,
  /** Characters of the jobs or tasks of one list. */
  listLength: 16_777_216,
} as const
