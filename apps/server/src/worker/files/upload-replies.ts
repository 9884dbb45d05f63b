import { SvcError } from '@svc/errors'
import type { ContentRange } from './content-range.ts'
import { badRequest } from './refusals.ts'
import type { FileReply } from './reply.ts'

export const stored = (path: string): FileReply => ({ status: 200, json: { local_path: path } })

export const more = (size: number): FileReply => ({
  status: 308,
  headers: { Range: `bytes=0-${size - 1}`, 'X-File-Size': size },
})

export const conflict = (): FileReply => ({ status: 409, text: 'another file was under way; restart from byte 0' })

export const outOfStep = ({ start, total }: ContentRange, size: number): FileReply => ({
  status: 416,
  headers: { 'Content-Range': `bytes */${total}`, 'X-File-Size': size },
  text: `Content-Range start ${start} does not match current file size ${size}`,
})

export const mismatch = (expected: string, got: string): SvcError =>
  badRequest(`sha256 mismatch: expected ${expected} got ${got}`, 'hash_mismatch')

export const busy = (): SvcError =>
  new SvcError('unavailable', 'the file is being written; try again', { code: 'file_busy', retryAfterMs: 1000 })
