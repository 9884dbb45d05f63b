import { checkArgument } from '@svc/errors'
import type { Provider } from './ports.ts'

const PROVIDERS: readonly Provider[] = ['provider_a', 'provider_b']

/** Refuses unknown wire formats. @throws {SvcError} `invalid_argument` */
export function checkProvider(provider: Provider, name: string): void {
  checkArgument(PROVIDERS.includes(provider), `${name}: provider`, PROVIDERS.join(' or '), provider)
}
