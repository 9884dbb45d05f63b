import type { Bus } from '../../bus/bus.ts'
import type { StagingSource, StagingView, WorkerRow } from '../../operations/operation.ts'
import type { Clock, Logger } from '../../ports.ts'
import type { LoadJob, LoadJobs } from './load-jobs.ts'

/** Time between two readings, milliseconds. */
const READ_MS = 500
/** Age from which a list says nothing any more, milliseconds. */
const OLD_MS = 5000

const STATUS: Readonly<Record<LoadJob['state'], WorkerRow['status']>> = {
  pending: 'Queued',
  installing: 'Worker busy',
  staging: 'Downloading',
  loading: 'Worker busy',
  failed: 'Failed',
}

/** Loads on workers as the list of operations shows them. It is read again when it is asked for, and after hints. */
export interface StagingList {
  readonly source: StagingSource
  /** Ends the subscription. */
  close(): void
}

/** Creates a list that has not been read. */
export function createStagingList({
  jobs,
  bus,
  clock,
  logger,
}: {
  readonly jobs: Pick<LoadJobs, 'list'>
  readonly bus: Pick<Bus, 'subscribe'>
  readonly clock: Pick<Clock, 'monotonic'>
  readonly logger: Logger
}): StagingList {
  let views: readonly StagingView[] = []
  let readAt = Number.NEGATIVE_INFINITY
  let isReading = false

  async function read(): Promise<void> {
    const begun = clock.monotonic()
    const all = await jobs.list()
    views = all.filter(({ state }) => state !== 'failed').map(toStagingView)
    readAt = begun
  }
  function refresh(): void {
    if (isReading) return
    isReading = true
    void read()
      .catch((error: unknown) => logger.warn({ err: error }, 'the loads on workers could not be listed'))
      .finally(() => {
        isReading = false
      })
  }
  const close = bus.subscribe('loads.changed', refresh)
  return {
    source() {
      const age = clock.monotonic() - readAt
      if (age >= READ_MS) refresh()
      return age < OLD_MS ? views : []
    },
    close,
  }
}

function toStagingView({ key, model, state, nodeId, nodeName, ...load }: LoadJob): StagingView {
  const { bytesSent: currentBytes, totalBytes } = load
  const percent = load.progress * 100
  const bytes = totalBytes > 0 ? { currentBytes, totalBytes } : {}
  const row = { status: STATUS[state], percent, ...bytes }
  return {
    jobId: `staging:${key}`,
    fullName: model,
    progress: { percent, message: toMessage(state), ...bytes },
    nodeId,
    nodeName,
    nodes: nodeId === undefined ? [] : [{ nodeId, nodeName: nodeName ?? nodeId, ...row }],
  }
}

function toMessage(state: LoadJob['state']): string {
  switch (state) {
    case 'pending':
      return 'A worker is chosen'
    case 'installing':
      return 'The worker installs the backend'
    case 'staging':
      return 'The files are sent to the worker'
    case 'loading':
    case 'failed':
      return 'The worker loads the model'
  }
}
