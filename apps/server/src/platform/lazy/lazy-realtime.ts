import type { Quotas } from '@svc/auth/quotas'
import type { ModelDirectory } from '../../catalog/resolve.ts'
import { createLazy } from '../../concurrency/lazy.ts'
import type { ServerConfig } from '../../config/schema.ts'
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
  readonly quotas: Pick<Quotas, 'readStatus' | 'hasLimits' | 'limits'>
  readonly clock: Clock
  readonly config: Pick<ServerConfig, 'opaqueErrors'>
}

/** Makes the conversations of a server. Nothing of them is loaded yet. */
export function createLazyRealtime(parts: LazyRealtimeParts): LazyRealtime {
  const { openStages, models, settings, quotas, clock, config } = parts
  const rooms = createRooms(() => ({
    total: settings.get('realtime_max_sessions'),
    perAccount: settings.get('realtime_max_sessions_per_account'),
  }))
  const { open } = createLazy(async () => {
    const [createStages, { createRealtime }, { createTurnTaker }, { createLimitReader }] = await Promise.all([
      openStages(),
      import('../../realtime/open-session.ts'),
      import('../../realtime/turns/turn-taker.ts'),
      import('../../realtime/read-limits.ts'),
    ])
    return createRealtime({
      findModel: (name) => models.find(name),
      createStages,
      createTurnTaker: (parts) => createTurnTaker(parts, { clock }),
      rooms,
      readLimits: createLimitReader({ quotas, clock }),
      clock,
      hidesErrors: config.opaqueErrors,
    })
  })
  return { open }
}
