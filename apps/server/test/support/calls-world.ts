import { tempDir } from '@svc/test-kit'
import { callRoutes } from '../../src/api/realtime/calls-route.ts'
import { systemClock } from '../../src/clock.ts'
import { openPrivateFiles } from '../../src/files/private-files.ts'
import { createBodyReader } from '../../src/http/body.ts'
import { createFormReader } from '../../src/http/forms/form-reader.ts'
import { createLogger } from '../../src/logging/log.ts'
import { createCalls } from '../../src/realtime/calls/calls.ts'
import { loadMediaLibrary } from '../../src/realtime/calls/peer/library.ts'
import type { SessionRequest } from '../../src/realtime/open-session.ts'
import { createEchoSessions } from './echo-sessions.ts'
import { startTestApp } from './test-app.ts'

/** A server whose calls are answered by an echo, and what it was asked for. */
export async function startCallsWorld({
  loadLibrary = loadMediaLibrary,
  ...options
}: { readonly loadLibrary?: typeof loadMediaLibrary } & NonNullable<Parameters<typeof startTestApp>[1]> = {}) {
  const echoes = createEchoSessions()
  const asked: SessionRequest[] = []
  const log = createLogger({ level: 'silent', format: 'json', destination: { write: () => undefined } })
  const calls = createCalls({
    settings: { interfaces: [], outside: [], udpPort: 0 },
    ...{ loadLibrary, log, clock: systemClock },
  })
  const folder = await tempDir()
  const bodies = createBodyReader({ maxBytes: 1024 * 1024, idleMs: 30_000, totalBytes: 16 * 1024 * 1024 })
  const files = await openPrivateFiles(folder.path)
  const app = await startTestApp(
    callRoutes({
      idleMs: () => 0,
      async open(request) {
        asked.push(request)
        return await echoes.openSession(request.peer)
      },
      calls: async () => calls,
      forms: createFormReader({ bodies, files }),
      findSecret: async (value) => {
        if (value === 'ek_notes') return { model: 'talk', session: { type: 'transcription' } }
        return value === 'ek_talk' ? { model: 'talk', session: { instructions: 'Be short.' } } : undefined
      },
      ...{ bodies, clock: systemClock },
    }),
    options,
  )
  return {
    ...{ app, calls, asked, sessions: echoes.sessions },
    async [Symbol.asyncDispose]() {
      await calls.close()
      await app[Symbol.asyncDispose]()
      await folder[Symbol.asyncDispose]()
    },
  }
}
