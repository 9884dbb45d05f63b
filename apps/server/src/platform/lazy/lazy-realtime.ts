import type { Quotas } from '@svc/auth/quotas'
import type { ModelDirectory } from '../../catalog/resolve.ts'
import { isPipeline } from '../../catalog/serving.ts'
import { hasUsecase } from '../../catalog/usecases.ts'
import { createLazy } from '../../concurrency/lazy.ts'
import { readNamedServers } from '../../inference/tools/named-servers.ts'
import type { Clock } from '../../ports.ts'
import type { Realtime } from '../../realtime/open-session.ts'
import { createRooms } from '../../realtime/rooms.ts'
import type { Settings } from '../../settings/settings.ts'
import type { OpenStages } from './lazy-stages.ts'

/** Spoken conversations. The first session loads their code. */
export interface LazyRealtime {
  open(): Promise<Realtime>
}

/** Parts of {@link createLazyRealtime}. */
export interface LazyRealtimeParts {
  readonly openStages: OpenStages
  readonly models: Pick<ModelDirectory, 'find'>
  readonly settings: Pick<Settings, 'get'>
  readonly quotas: Pick<Quotas, 'readStatus'>
  readonly clock: Clock
}

/** Makes the conversations of a server. Nothing of them is loaded yet. */
export function createLazyRealtime({ openStages, models, settings, quotas, clock }: LazyRealtimeParts): LazyRealtime {
  const rooms = createRooms(() => ({
    total: settings.get('realtime_max_sessions'),
    perAccount: settings.get('realtime_max_sessions_per_account'),
  }))
  const { open } = createLazy(async () => {
    const [{ createRealtime }, { createTurnTaker }, { createLimitReader }] = await Promise.all([
      import('../../realtime/open-session.ts'),
      import('../../realtime/turns/turn-taker.ts'),
      import('../../realtime/read-limits.ts'),
    ])
    return createRealtime({
      findModel: (name) => models.find(name),
      async openStages(model, { through }) {
        if (!isPipeline(model) && !hasUsecase(model, 'realtime_audio')) return undefined
        const readHostedTools = (tools: readonly unknown[]) => readNamedServers(tools as { readonly type: string }[])
        return openStages(model, { through, readHostedTools })
      },
      createTurnTaker: (parts) => createTurnTaker(parts, { clock }),
      rooms,
      readLimits: createLimitReader({ quotas, clock }),
      clock,
    })
  })
  return { open }
}
