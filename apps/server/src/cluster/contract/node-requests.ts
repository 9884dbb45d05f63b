import * as z from 'zod'
import { readWorkerAddress } from './worker-address.ts'

// Requests and replies of a worker, as the reference's workers read and write them. Replies of other versions may have
// more fields; absent, null and empty are the same.

const text = z
  .string()
  .nullish()
  .transform((value) => value ?? '')
const flag = z
  .boolean()
  .nullish()
  .transform((value) => value ?? false)

/** `backend.install` and `backend.upgrade`. An upgrade has neither `model_id` nor `force`. */
export const installRequest = z.object({
  backend: z.string(),
  model_id: text,
  /** The galleries, JSON text. */
  backend_galleries: text,
  uri: text,
  name: text,
  alias: text,
  replica_index: z
    .number()
    .int()
    .nullish()
    .transform((value) => value ?? 0),
  force: flag,
  op_id: text,
})

const address = text.refine((value) => value === '' || readWorkerAddress(value) !== undefined, 'is not host:port')

/** Reply of `backend.install`: the address, `host:port`, of the process that will hold the model. */
export const installReply = z.object({ success: flag, address, error: text })

/** Progress of an installation; at most one in 250 ms. */
export const installProgress = z.object({
  op_id: text,
  node_id: text,
  backend: text,
  file_name: text,
  /** Bytes so far and in all, as text for people. */
  current: text,
  total: text,
  /** 0 to 100. */
  percentage: z
    .number()
    .nullish()
    .transform((value) => value ?? 0),
  phase: text,
})

/** Reply of `backend.upgrade` and `backend.delete`. Keys may be set although `success` is false. */
export const changeReply = z.object({
  success: flag,
  error: text,
  stopped_process_keys: z
    .array(z.string())
    .nullish()
    .transform((value) => value ?? []),
  reports_stopped_processes: flag,
})

/** Reply of `backend.list`. */
export const listReply = z.object({
  backends: z
    .array(
      z.object({
        name: z.string(),
        is_system: flag,
        is_meta: flag,
        installed_at: text,
        gallery_url: text,
        version: text,
        uri: text,
        digest: text,
      }),
    )
    .nullish()
    .transform((value) => value ?? []),
  error: text,
})

/** `model.stop`: stops one process, if it still is the one that is meant. */
export const stopRequest = z.object({
  model_name: z.string(),
  process_key: z.string(),
  expected_address: text,
  force: flag,
  config_revision: text,
})

/** Reply of `model.stop`. Only `terminated` tells whether the process is gone. */
export const stopReply = z.object({
  matched: flag,
  freed: flag,
  terminated: flag,
  process_key: text,
  address: text,
  error: text,
})

/** Reply of `model.unload` and `model.delete`. */
export const simpleReply = z.object({ success: flag, error: text })

/** Reply of `models.running`. */
export const runningReply = z.object({
  models: z
    .array(
      z.object({
        model_id: z.string(),
        replica_index: z
          .number()
          .int()
          .nullish()
          .transform((value) => value ?? 0),
        address: text,
      }),
    )
    .nullish()
    .transform((value) => value ?? []),
  error: text,
})

/**
 * `files.ensure`: has the worker fetch an object of the storage. Only `key` is of the reference's contract, where the
 * object is also the place of the file.
 */
export const ensureRequest = z.object({
  key: z.string().min(1),
  /** Where the file goes; empty: at the key. */
  path: text,
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .nullish()
    .transform((value) => value ?? undefined),
  /** Bytes. */
  size: z
    .number()
    .int()
    .nonnegative()
    .nullish()
    .transform((value) => value ?? undefined),
})

/** Reply of `files.ensure`; only our workers give a code. */
export const ensureReply = z.object({ local_path: text, error: text, code: text })
