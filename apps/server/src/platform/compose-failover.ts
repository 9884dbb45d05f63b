import type { HttpUpstream } from '@svc/http-client'
import type { SecretReader } from '@svc/proxy'
import type { Registry } from 'prom-client'
import type { AuditSink } from '../audit/audit-event.ts'
import type { Bus } from '../bus/bus.ts'
import type { ModelConfig } from '../catalog/model-config.ts'
import type { ModelDirectory } from '../catalog/resolve.ts'
import { hasFailover } from '../catalog/serving.ts'
import type { ModelSlots } from '../inference/core/admission.ts'
import { createFailedAttempts } from '../inference/serving/failover/failed-attempts.ts'
import { createFailover, type Failover } from '../inference/serving/failover/failover.ts'
import { createFailoverGroups, type FailoverGroups } from '../inference/serving/failover/groups.ts'
import { createFailoverMetrics } from '../inference/serving/failover/metrics.ts'
import { createProbe } from '../inference/serving/failover/probe.ts'
import { createProber } from '../inference/serving/failover/prober.ts'
import { createFailoverWatch, type FailoverWatch } from '../inference/serving/failover/watch.ts'
import type { CloudModels } from '../inference/serving/upstream/cloud-models.ts'
import type { Metrics } from '../monitoring/metrics.ts'
import type { UsageRecorder } from '../monitoring/recorders.ts'
import type { Placement } from '../placement/placement.ts'
import type { Clock, Logger } from '../ports.ts'

/** Parts of {@link composeFailover}. */
export interface FailoverParts {
  readonly directory: Pick<ModelDirectory, 'find'>
  readonly placement: Placement
  readonly upstream: HttpUpstream
  readonly secrets: SecretReader
  readonly audit: AuditSink
  readonly usage: UsageRecorder
  readonly metrics: Metrics
  /** Takes the metrics of the filter and of groups. */
  readonly registry: Registry
  readonly bus: Bus
  readonly clock: Clock
  readonly logger: Logger
}

/** The failover groups of a server, with the watch that looks after them. */
export interface FailoverModule {
  readonly groups: FailoverGroups
  readonly watch: FailoverWatch
  /** Creates the way of calls through a group. Their attempts take these slots. */
  withSlots(slots: ModelSlots): Failover
  /** Applies changed files to the failover groups of these names. */
  follow(names: readonly string[]): void
  close(): Promise<void>
}

/** Composes the failover groups. */
export function composeFailover(parts: FailoverParts, cloudModels: CloudModels): FailoverModule {
  const { directory, placement, upstream, secrets, audit, usage, metrics, bus, clock, logger } = parts
  const watch = createFailoverWatch({ bus, clock })
  const countChange = createFailoverMetrics(parts.registry, () => groups.known())
  const findGroup = (name: string): ModelConfig | undefined => {
    const model = directory.find(name)
    return model !== undefined && hasFailover(model) ? model : undefined
  }
  const groups: FailoverGroups = createFailoverGroups({
    clock,
    exists: (name) => findGroup(name) !== undefined,
    onEvent: (group, event) => bus.publish('failover.changed', { group, event }),
  })
  const unsubscribe = bus.subscribe('failover.changed', ({ group: model, event }) => {
    countChange(model, event)
    logger.info({ model, event }, 'a failover group changed')
  })
  const failed = createFailedAttempts({ usage, metrics })
  const probe = createProbe({ placement, models: cloudModels, upstream, secrets })
  const prober = createProber({ groups, probe, load: placement.load, clock, logger })
  return {
    groups,
    watch,
    withSlots: (slots) => createFailover({ groups, slots, prober, failed, audit, clock }),
    follow(names) {
      for (const name of names) groups.follow(name, findGroup(name))
    },
    async close() {
      await prober.close()
      watch.end()
      unsubscribe()
    },
  }
}
