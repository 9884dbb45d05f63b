import { SvcError } from '@svc/errors'
import type * as z from 'zod'
import { formatBytes } from '../../../galleries/memory-estimate.ts'
import { isPending, type OperationView } from '../../../operations/operation.ts'
import type { Operations } from '../../../operations/operations.ts'
import { toRateFields } from '../operations/to-wire.ts'
import type { jobReply, shortJobReply } from './schemas.ts'

/** A job as it goes out. */
export function toJob(view: OperationView): z.output<typeof jobReply> {
  const { progress, action, error, cancellable } = view
  const { bytesPerSecond, secondsLeft } = toRateFields(view.rate)
  const { percent, phase, currentBytes, totalBytes, fileName = '' } = progress
  return {
    deletion: action === 'deletion',
    file_name: fileName,
    ...(error === undefined ? {} : { error }),
    processed: isProcessed(view),
    message: toMessage(view),
    progress: percent,
    ...(phase === undefined ? {} : { phase }),
    ...(currentBytes === undefined ? {} : { current_bytes: currentBytes }),
    ...(totalBytes === undefined ? {} : { total_bytes: totalBytes }),
    ...(bytesPerSecond === undefined ? {} : { bytes_per_second: bytesPerSecond }),
    ...(secondsLeft === undefined ? {} : { seconds_left: secondsLeft }),
    file_size: formatBytes(totalBytes ?? 0),
    downloaded_size: formatBytes(currentBytes ?? 0),
    gallery_element_name: findElementName(view),
    cancelled: isStopped(view),
    cancellable,
  }
}

/** The short form of a job. */
export function toShortJob(view: OperationView): z.output<typeof shortJobReply> {
  const { progress, action, error, state } = view
  return {
    progress: progress.percent,
    message: toMessage(view),
    galleryElementName: findElementName(view),
    processed: isProcessed(view),
    deletion: action === 'deletion',
    queued: state === 'queued',
    ...(error === undefined ? {} : { error }),
    ...(state === 'completed' ? { completed: true } : {}),
  }
}

/** Finds the entry of a gallery that was asked for, also where the model has another name here. */
function findElementName({ details: { id }, fullName }: OperationView): string {
  return typeof id === 'string' && id !== '' ? id : fullName
}

function toMessage(view: OperationView): string {
  if (view.error !== undefined) return `error: ${view.error}`
  return isStopped(view) ? view.state : view.progress.message
}

function isStopped({ state }: OperationView): boolean {
  return state === 'cancelled' || state === 'paused'
}

function isProcessed(view: OperationView): boolean {
  return !isPending(view)
}

/** The job of an id. @throws {SvcError} `not_found`, code `job_not_found` */
export async function findJob(
  operations: Pick<Operations, 'find'>,
  id: string,
  subject: OperationView['subject'],
): Promise<OperationView> {
  const view = await operations.find(id)
  if (view?.subject === subject) return view
  throw new SvcError('not_found', `there is no job "${id}"`, { code: 'job_not_found' })
}
