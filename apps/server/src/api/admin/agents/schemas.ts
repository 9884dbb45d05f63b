import * as z from 'zod'
import { AGENT_LIMITS } from '../../../agents/task.ts'

const name = z.string().trim().min(1).max(AGENT_LIMITS.nameLength)
const time = z.string().meta({ description: 'RFC 3339' })
/** Parameters of prompts. Numbers and truth values become texts. */
const parameters = z
  .record(
    z.string().max(AGENT_LIMITS.nameLength),
    z.union([z.string().max(AGENT_LIMITS.parameterLength), z.number(), z.boolean()]).transform(String),
  )
  .refine((values) => Object.keys(values).length <= AGENT_LIMITS.parameters, {
    error: `more than ${AGENT_LIMITS.parameters} parameters`,
  })
const shownParameters = z.record(z.string(), z.string())
const mediaList = z.array(z.string().min(1)).max(AGENT_LIMITS.media)

const mediaSource = z.strictObject({
  type: z.enum(['image', 'video', 'audio', 'file']),
  url: z.url({ protocol: /^https?$/ }),
  headers: z
    .record(
      z.string().regex(/^[\w!#$%&'*+.^`|~-]{1,100}$/),
      z
        .string()
        .max(8192)
        .regex(/^[\t -~\x80-\xff]*$/),
    )
    .nullish(),
})

/** Members that replies have and requests may send back. */
const kept = {
  id: z.unknown().optional(),
  created_at: z.unknown().optional(),
  updated_at: z.unknown().optional(),
  next_run_at: z.unknown().optional(),
}

/** Body of a new or a changed task. */
export const taskForm = z.strictObject({
  ...kept,
  name,
  description: z.string().max(AGENT_LIMITS.descriptionLength).nullish(),
  model: z.string().trim().min(1).max(AGENT_LIMITS.nameLength),
  prompt: z.string().min(1).max(AGENT_LIMITS.promptLength),
  enabled: z.boolean().nullish(),
  cron: z.string().trim().nullish(),
  cron_timezone: z.string().trim().max(100).nullish(),
  cron_missed: z.enum(['skip', 'once']).nullish(),
  cron_parameters: parameters.nullish(),
  multimedia_sources: z.array(mediaSource).max(AGENT_LIMITS.media).nullish(),
  webhooks: z.array(z.unknown()).nullish(),
})

/** Body of a run by the id of its task. */
export const executeForm = z.strictObject({
  task_id: z.string().min(1),
  parameters: parameters.nullish(),
  images: mediaList.nullish(),
  videos: mediaList.nullish(),
  audios: mediaList.nullish(),
  files: mediaList.nullish(),
})

/** Body of a run by the name of its task. */
export const executeByNameForm = parameters

/** A task. */
export const task = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  model: z.string(),
  prompt: z.string(),
  created_at: time,
  updated_at: time,
  enabled: z.boolean(),
  cron: z.string().optional(),
  cron_timezone: z.string().optional(),
  cron_missed: z.enum(['skip', 'once']).optional(),
  cron_parameters: shownParameters.optional(),
  next_run_at: time.optional(),
  multimedia_sources: z.array(mediaSource).optional(),
})

export const taskList = z.array(task)
export const taskCreated = z.object({ id: z.string() })
export const done = z.object({ message: z.string() })
export const jobStarted = z.object({ job_id: z.string(), status: z.literal('pending'), url: z.string() })

/** A step of a job. */
const trace = z.object({
  type: z.enum(['reasoning', 'tool_call', 'tool_result', 'status']),
  content: z.string(),
  timestamp: time,
  tool_name: z.string().optional(),
  arguments: z.string().optional(),
})

/** A job. */
export const job = z.object({
  id: z.string(),
  task_id: z.string(),
  agent: z.string().optional(),
  model: z.string(),
  prompt: z.string(),
  status: z.enum(['pending', 'running', 'completed', 'failed', 'cancelled']),
  parameters: shownParameters,
  result: z.string().optional(),
  error: z.string().optional(),
  created_at: time,
  started_at: time.optional(),
  completed_at: time.optional(),
  triggered_by: z.enum(['manual', 'cron', 'api']),
  traces: z.array(trace).optional(),
  images: z.array(z.string()).optional(),
  videos: z.array(z.string()).optional(),
  audios: z.array(z.string()).optional(),
  files: z.array(z.string()).optional(),
})

export const jobList = z.array(job)

/** Query of the list of tasks: `after` is the id of the last task of the list before. */
export const taskQuery = z.object({ after: z.string().optional() })

/** Query of the list of jobs. */
export const jobQuery = z.object({
  task_id: z.string().optional(),
  status: z.string().optional(),
  limit: z.string().optional(),
})

/** Query of a file of an agent. */
export const fileQuery = z.object({ path: z.string().optional() })
