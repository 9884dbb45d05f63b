import * as z from 'zod'

/** One line of a backend's output. */
export const backendLogLine = z.looseObject({
  timestamp: z.iso.datetime(),
  stream: z.enum(['stdout', 'stderr']),
  /** With control characters escaped. */
  text: z.string(),
})

/** Reply of `GET /api/backend-logs`: names of models. */
export const backendLogNames = z.array(z.string())

/** Reply of `GET /api/backend-logs/{model}`: the oldest line first. */
export const backendLogLines = z.array(backendLogLine)

/** A message of `/ws/backend-logs/{model}`: the present lines, each further line, or how many a slow reader has missed. */
export const backendLogMessage = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('initial'), lines: backendLogLines }),
  z.looseObject({ type: z.literal('line'), line: backendLogLine }),
  z.looseObject({ type: z.literal('missed'), count: z.int().min(1) }),
])

/** One line of a backend's output. */
export type BackendLogLine = z.infer<typeof backendLogLine>
