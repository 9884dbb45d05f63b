import { createAccount, createOperator, createUser, encodeAccount, encodeOperator, encodeUser } from '@nats-io/jwt'

/** Credentials of a user of the bus. */
export interface NatsUser {
  readonly jwt: string
  readonly seed: string
}

/** Subjects that a user may publish to or subscribe. @default all */
export interface NatsUserOptions {
  readonly publish?: readonly string[] | undefined
  readonly subscribe?: readonly string[] | undefined
  /** Seconds until the credentials expire. @default never */
  readonly expiresInS?: number | undefined
}

/** An operator with one account for everything. */
export interface NatsAccounts {
  /** Lines of the configuration of a server. */
  readonly configuration: string
  /** Seed of the account, which signs users. */
  readonly accountSeed: string
  createUser(name: string, options?: NatsUserOptions): Promise<NatsUser>
}

// An account without limits has limits of zero.
const NO_LIMITS = { conn: -1, subs: -1, data: -1, payload: -1, imports: -1, exports: -1, wildcards: true, leaf: -1 }

/** Mints an operator, its system account and an account. */
export async function createNatsAccounts(): Promise<NatsAccounts> {
  const [operator, system, account] = [createOperator(), createAccount(), createAccount()]
  const systemKey = system.getPublicKey()
  const operatorJwt = await encodeOperator('svc', operator, { system_account: systemKey })
  const systemJwt = await encodeAccount('SYS', system, {}, { signer: operator })
  const accountJwt = await encodeAccount('SVC', account, { limits: NO_LIMITS }, { signer: operator })
  return {
    configuration: [
      `operator: ${operatorJwt}`,
      `system_account: ${systemKey}`,
      'resolver: MEMORY',
      `resolver_preload: { ${systemKey}: ${systemJwt}, ${account.getPublicKey()}: ${accountJwt} }`,
    ].join('\n'),
    accountSeed: new TextDecoder().decode(account.getSeed()),
    async createUser(name, { publish, subscribe, expiresInS } = {}) {
      const user = createUser()
      const permissions = {
        ...(publish === undefined ? {} : { pub: { allow: [...publish], deny: [] } }),
        ...(subscribe === undefined ? {} : { sub: { allow: [...subscribe], deny: [] } }),
      }
      const expiry = expiresInS === undefined ? {} : { exp: Math.floor(Date.now() / 1000) + expiresInS }
      const jwt = await encodeUser(name, user, account, permissions, expiry)
      return { jwt, seed: new TextDecoder().decode(user.getSeed()) }
    },
  }
}
