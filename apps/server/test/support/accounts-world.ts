import { systemClock } from '../../src/clock.ts'
import type { Clock } from '../../src/ports.ts'
import { type Browser, createBrowser } from './browser.ts'
import { startTestServer, type TestServer, type TestServerOptions } from './server.ts'

/** A password that every check lets pass. */
export const PASSWORD = 'violet-Marble 92 otter'

/** An account of a test, with a browser that is signed in and an API key. */
export interface Member {
  readonly id: string
  readonly email: string
  readonly browser: Browser
  readonly key: string
  readonly keyId: string
  readonly session: string
  /** The headers of a request with the key. */
  readonly headers: Readonly<Record<string, string>>
}

/** A server with accounts. */
export interface AccountsWorld extends TestServer {
  /** The first account, which is an admin. */
  readonly admin: Member
  browser(): Browser
  /** Registers an account; the first of a server is an admin, the others are active at once in the mode `open`. */
  member(name: string): Promise<Member>
  /** A new key of a member. */
  keyOf(
    member: Member,
    fields?: Readonly<Record<string, unknown>>,
  ): Promise<{ readonly id: string; readonly key: string }>
}

/** The clocks of the machine, with a date that a test moves on. */
export function createMovableClock(): Clock & { move(ms: number): void } {
  let offset = 0
  return {
    ...systemClock,
    now: () => systemClock.now() + offset,
    move(ms) {
      offset += ms
    },
  }
}

/** Starts a server with accounts and its first admin; anybody may register, and attempts are not limited. */
export async function startAccountsWorld(options: TestServerOptions = {}): Promise<AccountsWorld> {
  const server = await startTestServer({
    ...options,
    flags: ['--auth-enabled', '--auth-registration-mode=open', '--auth-rate-limit=0', ...(options.flags ?? [])],
  })
  try {
    return Object.assign(server, {
      ...createMembers(server.url),
      admin: await createMembers(server.url).member('admin'),
    })
  } catch (error) {
    await server.close()
    throw error
  }
}

/** Makes members of a server at an address. */
export function createMembers(url: string): Pick<AccountsWorld, 'browser' | 'member' | 'keyOf'> {
  const browser = (): Browser => createBrowser(url)

  async function createKey(owner: Browser, fields: Readonly<Record<string, unknown>> = {}) {
    const reply = await owner.send('POST', '/api/auth/api-keys', { name: 'a key', ...fields })
    if (reply.status !== 201) throw new Error(`no key: ${reply.status} ${reply.text}`)
    return reply.json() as { readonly id: string; readonly key: string }
  }

  return {
    browser,
    keyOf: (member, fields) => createKey(member.browser, fields),
    async member(name) {
      const own = browser()
      const email = `${name}@site.example`
      const reply = await own.send('POST', '/api/auth/register', { email, password: PASSWORD, name })
      if (reply.status !== 201) throw new Error(`no account: ${reply.status} ${reply.text}`)
      const { user } = reply.json() as { readonly user: { readonly id: string } }
      const { id: keyId, key } = await createKey(own)
      return {
        id: user.id,
        email,
        browser: own,
        key,
        keyId,
        session: own.cookies.get('session') ?? '',
        headers: { authorization: `Bearer ${key}` },
      }
    },
  }
}
