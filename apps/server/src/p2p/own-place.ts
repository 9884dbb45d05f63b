import type { ServicePlace } from './options.ts'

/** The place at which this machine reaches a server that listens at a host. */
export function findOwnPlace(host: string | undefined, port: number | undefined): ServicePlace | undefined {
  if (port === undefined) return undefined
  if (host === '::') return { host: '::1', port }
  return { host: host === undefined || host === '0.0.0.0' ? '127.0.0.1' : host, port }
}
