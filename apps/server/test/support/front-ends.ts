import type { RunningNats, RunningPostgres } from '@svc/test-kit'
import type { PriceBook } from '../../src/spend/price-book.ts'
import { type AccountsWorld, startAccountsWorld } from './accounts-world.ts'
import { startTestServer, type TestServer } from './server.ts'

/** Two front ends of one cluster. */
export interface FrontEnds extends AsyncDisposable {
  /** Has the first admin. */
  readonly one: AccountsWorld
  readonly other: TestServer
}

/** Starts two front ends on engines that are there. */
export async function startFrontEnds(
  { postgres, nats }: { readonly postgres: RunningPostgres; readonly nats: RunningNats },
  {
    flags = [],
    env = {},
    prices,
  }: {
    readonly flags?: readonly string[]
    readonly env?: Readonly<Record<string, string>>
    readonly prices?: PriceBook
  } = {},
): Promise<FrontEnds> {
  const options = {
    ...(prices === undefined ? {} : { prices }),
    flags: ['--distributed', ...flags],
    env: {
      SVC_AUTH_DATABASE_URL: await postgres.createDatabase(),
      SVC_AUTH_HMAC_SECRET: 'one secret of both of the servers',
      SVC_REGISTRATION_TOKEN: 'token of the workers',
      SVC_NATS_URL: nats.url,
      SVC_NATS_SERVICE_JWT: nats.service.jwt,
      SVC_NATS_SERVICE_SEED: nats.service.seed,
      SVC_NATS_ACCOUNT_SEED: nats.accountSeed,
      ...env,
    },
  }
  const one = await startAccountsWorld(options)
  try {
    const accounts = ['--auth-enabled', '--auth-registration-mode=open', '--auth-rate-limit=0']
    const other = await startTestServer({ ...options, flags: [...accounts, ...options.flags] })
    return {
      one,
      other,
      async [Symbol.asyncDispose]() {
        await Promise.all([one.close(), other.close()])
      },
    }
  } catch (error) {
    await one.close()
    throw error
  }
}
