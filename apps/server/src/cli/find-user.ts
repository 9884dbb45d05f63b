import type { Auth } from '@svc/auth'
import { normalizeEmail } from '@svc/auth/accounts'
import type { User } from '@svc/auth/ports'
import { SvcError } from '@svc/errors'

type Accounts = Pick<Auth, 'accounts'>

const PAGE = 1000

const call = { signal: new AbortController().signal }

/** All accounts, a page at a time. */
export async function* everybody(auth: Accounts): AsyncGenerator<User> {
  let after: string | undefined
  for (;;) {
    const page = await auth.accounts.list({ after, limit: PAGE }, call)
    yield* page
    after = page.at(-1)?.id
    if (page.length < PAGE) return
  }
}

/** The account with an id or an address. @throws {SvcError} `not_found`; `conflict` where several have the address */
export async function findUser(auth: Accounts, wanted: string): Promise<User> {
  const email = normalizeEmail(wanted)
  const found: User[] = []
  for await (const user of everybody(auth)) if (user.id === wanted || user.email === email) found.push(user)
  const [user, ...others] = found
  if (user === undefined) throw new SvcError('not_found', `there is no account ${wanted}`)
  if (others.length === 0) return user
  const ids = found.map(({ id, provider }) => `${id} (${provider})`).join(', ')
  throw new SvcError('conflict', `several accounts have the address ${wanted}; name one by its id: ${ids}`)
}
