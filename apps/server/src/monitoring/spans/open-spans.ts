import type { WayOut } from '@svc/http-client'
import type { Clock, Logger } from '../../ports.ts'
import type { SpanRecorder } from '../recorders.ts'
import { readSpanOptions } from './read-options.ts'
import { createSampler } from './sampler.ts'
import { createSpanExporter } from './span-exporter.ts'
import { createSpanQueue } from './span-queue.ts'
import { createSpanRecorder } from './span-recorder.ts'

/** Spans that are sent. */
export interface OpenSpans {
  readonly recorder: SpanRecorder
  /** Number of spans that did not reach the receiver. */
  readonly lost: number
  close(): Promise<void>
}

/** Parts of {@link openSpans}. */
export interface SpansParts {
  /** The variables of the process. */
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly version: string
  /** Additional certificate authorities, PEM. */
  readonly ca: string | undefined
  readonly wayOut: WayOut
  readonly clock: Clock
  readonly logger: Logger
}

/** Opens the spans that the variables of OpenTelemetry ask for. @returns undefined when none can be sent; the log has the reason */
export async function openSpans({
  environment,
  version,
  ca,
  wayOut,
  clock,
  logger,
}: SpansParts): Promise<OpenSpans | undefined> {
  const { options, problems } = readSpanOptions(environment)
  for (const problem of problems) logger.warn({ problem }, 'a variable of OpenTelemetry cannot be used')
  if (options === undefined) return undefined
  try {
    const exporter = await createSpanExporter({ options, version, ca, wayOut })
    const queue = createSpanQueue({ exporter, clock, logger })
    logger.info({ receiver: new URL(options.url).origin, ratio: options.sampler.ratio }, 'spans are sent')
    return {
      recorder: createSpanRecorder(createSampler(options.sampler), queue),
      get lost() {
        return queue.lost
      },
      close: () => queue.close(),
    }
  } catch (error) {
    logger.warn({ err: error }, 'no spans are sent: the exporter of OpenTelemetry cannot be loaded')
    return undefined
  }
}
