/** What a NATS server and the front ends of a new cluster need to know each other. */
export interface BusAccount {
  /** Lines of the configuration of the NATS server: the operator with its accounts, and no secret. */
  readonly configuration: string
  /** Seed of the account, which signs the credentials of workers. */
  readonly accountSeed: string
  /** The user of the front ends, without limits and without an end. */
  readonly service: { readonly jwt: string; readonly seed: string }
}

// An account without limits has limits of zero.
const NO_LIMITS = { conn: -1, subs: -1, data: -1, payload: -1, imports: -1, exports: -1, wildcards: true, leaf: -1 }

/** Makes an operator, its system account, an account for the cluster, and the user of the front ends. */
export async function mintBusAccount(): Promise<BusAccount> {
  const { createAccount, createOperator, createUser, encodeAccount, encodeOperator, encodeUser } = await import(
    './jwt-library.ts'
  )
  const [operator, system, account, user] = [createOperator(), createAccount(), createAccount(), createUser()]
  const [systemKey, accountKey] = [system.getPublicKey(), account.getPublicKey()]
  const systemJwt = await encodeAccount('SYS', system, {}, { signer: operator })
  const accountJwt = await encodeAccount('SVC', account, { limits: NO_LIMITS }, { signer: operator })
  return {
    configuration: [
      `operator: ${await encodeOperator('svc', operator, { system_account: systemKey })}`,
      `system_account: ${systemKey}`,
      'resolver: MEMORY',
      `resolver_preload: { ${systemKey}: ${systemJwt}, ${accountKey}: ${accountJwt} }`,
    ].join('\n'),
    accountSeed: toText(account.getSeed()),
    service: { jwt: await encodeUser('front ends', user, account, {}, {}), seed: toText(user.getSeed()) },
  }
}

const toText = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)
