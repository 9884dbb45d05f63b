import type { MediaAddress } from './task.ts'

/** State of a job. */
export type JobStatus = 'pending' | 'running' | 'completed' | 'failed' | 'cancelled'

/** Who started a job: an administrator, the schedule, or a program by the name of the task. */
export type JobTrigger = 'manual' | 'cron' | 'api'

/** Media that came with a request: addresses, `data:` URLs or base64. */
export interface JobInputs {
  readonly images: readonly string[]
  readonly videos: readonly string[]
  readonly audios: readonly string[]
  readonly files: readonly string[]
}

/** Media of a job: those of its request, and those of its task, which are fetched before it runs. */
export interface JobMedia extends JobInputs {
  readonly sources: readonly MediaAddress[]
}

export const NO_MEDIA: JobMedia = { images: [], videos: [], audios: [], files: [], sources: [] }

const MAX_ADDRESS = 2048

/** Media of a job that has ended: the bytes go, the addresses of the request stay. */
export function keepAddresses({ images, videos, audios, files, sources }: JobMedia): JobMedia {
  const pick = (list: readonly string[]): readonly string[] =>
    list.filter((one) => /^https?:/i.test(one) && one.length <= MAX_ADDRESS)
  return { images: pick(images), videos: pick(videos), audios: pick(audios), files: pick(files), sources }
}

/** A call of a tool that was about to run, and has no result yet. */
export interface OpenCall {
  readonly id: string
  readonly tool: string
  readonly server: string
  /** Whether a second call does no harm: the tool only reads, or is idempotent. */
  readonly repeatable: boolean
}

/** What a job is made of. */
export interface JobDraft {
  /** Empty for a run of an agent. */
  readonly taskId: string
  /** Empty for a run of a task. */
  readonly agent: string
  readonly owner: string
  readonly triggeredBy: JobTrigger
  readonly model: string
  /** The prompt with its parameters filled in. */
  readonly prompt: string
  readonly parameters: Readonly<Record<string, string>>
  readonly media: JobMedia
}

/** A job without its media. */
export interface JobSummary extends Omit<JobDraft, 'media'> {
  readonly id: string
  readonly status: JobStatus
  readonly result: string | undefined
  readonly error: string | undefined
  /** Milliseconds since the epoch, as the others. */
  readonly createdAt: number
  readonly startedAt: number | undefined
  readonly completedAt: number | undefined
}

/** A job. */
export interface AgentJob extends JobSummary {
  readonly media: JobMedia
}

/** A job that this server has taken. */
export interface ClaimedJob extends AgentJob {
  /** Every write of the run holds only while the row has this number. */
  readonly fence: number
  /** Whether another run of it has begun before. */
  readonly isTakenOver: boolean
  readonly openCalls: readonly OpenCall[]
  /** Number of its steps. */
  readonly steps: number
}

/** A step of a job. `text` is what the model says between calls of tools, `thought` what it thinks. */
export interface JobStep {
  readonly kind: 'thought' | 'text' | 'tool_call' | 'tool_result' | 'status'
  readonly content: string
  /** Set for calls of tools and their results. */
  readonly callId?: string | undefined
  readonly toolName?: string | undefined
  /** JSON text. */
  readonly arguments?: string | undefined
  readonly createdAt: number
}

/** The end of a job. */
export type JobOutcome =
  | { readonly status: 'completed'; readonly result: string }
  | { readonly status: 'failed'; readonly error: string }
