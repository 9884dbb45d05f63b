import type { Platform } from '../../platform/platform.ts'
import type { Calls } from '../../realtime/calls/calls.ts'

/** The calls of a server, which begin with the first one. */
export interface CallDesk {
  readonly calls: () => Promise<Calls>
  /** Ends all calls. */
  close(): Promise<void>
}

/** Creates the desk. Neither code nor library of calls is loaded before the first call. */
export function createCallDesk({ config, clock, log }: Pick<Platform, 'config' | 'clock' | 'log'>): CallDesk {
  let opened: Promise<Calls> | undefined

  async function open(): Promise<Calls> {
    const [{ createCalls }, { loadMediaLibrary }] = await Promise.all([
      import('../../realtime/calls/calls.ts'),
      import('../../realtime/calls/peer/library.ts'),
    ])
    const settings = {
      interfaces: config.webrtcIceInterfaces,
      outside: config.webrtcNat1To1Ips,
      udpPort: config.webrtcUdpPort,
    }
    return createCalls({ settings, loadLibrary: loadMediaLibrary, clock, log })
  }

  return {
    calls() {
      opened ??= open()
      return opened
    },
    async close() {
      await (await opened)?.close()
    },
  }
}
