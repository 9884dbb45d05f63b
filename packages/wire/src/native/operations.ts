import * as z from 'zod'

/** Phases of an installation (§2.7). */
export const OPERATION_PHASES = [
  'Resolving files',
  'Downloading',
  'Verifying',
  'Finalizing',
  'Saving configuration',
] as const

const phase = z.enum(OPERATION_PHASES)
const taskType = z.enum(['installation', 'deletion', 'staging'])

/** The part of one worker in an operation. */
export const operationNode = z.object({
  node_id: z.string(),
  node_name: z.string(),
  status: z.enum(['Queued', 'Downloading', 'Worker busy', 'Done', 'Failed']),
  percentage: z.number(),
  file_name: z.string().optional(),
  current: z.int().optional().describe('Bytes.'),
  total: z.int().optional().describe('Bytes.'),
  phase: phase.optional(),
  error: z.string().optional(),
})

/** An operation that waits, runs or has failed. */
export const operation = z.object({
  id: z.string().describe('The object, `gallery@name` where a gallery has it.'),
  name: z.string().describe('The object without its gallery.'),
  fullName: z.string(),
  jobID: z.string(),
  progress: z.int().min(0).max(100),
  taskType,
  isDeletion: z.boolean(),
  isBackend: z.boolean(),
  isQueued: z.boolean(),
  cancellable: z.boolean(),
  message: z.string(),
  phase: phase.optional(),
  currentBytes: z.int().optional(),
  totalBytes: z.int().optional(),
  bytesPerSecond: z.int().optional().describe('The mean of the last seconds, while files are downloaded.'),
  secondsLeft: z.int().optional().describe('For the rest of the files at this speed.'),
  nodeID: z.string().optional(),
  nodeName: z.string().optional(),
  error: z.string().optional(),
  nodes: z.array(operationNode).optional(),
})

/** Reply of `GET /api/operations`. */
export const operationList = z.object({ operations: z.array(operation) })

/** A finished operation. */
export const operationRecord = z.object({
  id: z.string(),
  name: z.string(),
  jobID: z.string(),
  isBackend: z.boolean(),
  nodeID: z.string().optional(),
  taskType,
  outcome: z.enum(['completed', 'failed', 'cancelled']),
  paused: z
    .literal(true)
    .optional()
    .describe('A cancelled installation whose data is kept: the same installation goes on.'),
  error: z.string().optional(),
  startedAt: z.string(),
  finishedAt: z.string(),
})

/** Reply of `GET /api/operations/history`. */
export const operationHistory = z.object({ operations: z.array(operationRecord) })

/** Reply of the routes that change an operation. */
export const operationChanged = z.object({ success: z.literal(true), message: z.string() })

export type WireOperation = z.output<typeof operation>
export type WireOperationNode = z.output<typeof operationNode>
export type WireOperationRecord = z.output<typeof operationRecord>
