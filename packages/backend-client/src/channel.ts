import { type ChannelOptions, Client, credentials } from '@grpc/grpc-js'
import { parseBackendAddress } from './address.ts'

/** Where to connect and how large messages may be. */
export interface ChannelSettings {
  readonly address: string
  readonly maxMessageBytes: number
}

/**
 * Options of the channel of a backend. A backend is a local process that runs or does not run, so the channel has no retries,
 * no proxy from the environment, no lookups for service configuration, short pauses between attempts to connect, and shares
 * nothing with the channel of an earlier process behind the same address.
 */
function channelOptions(maxMessageBytes: number): ChannelOptions {
  return {
    'grpc.max_receive_message_length': maxMessageBytes,
    'grpc.max_send_message_length': maxMessageBytes,
    'grpc.enable_retries': 0,
    'grpc.enable_http_proxy': 0,
    'grpc.service_config_disable_resolution': 1,
    'grpc.use_local_subchannel_pool': 1,
    'grpc.initial_reconnect_backoff_ms': 25,
    'grpc.max_reconnect_backoff_ms': 100,
    // Other servers close a connection that is pinged more often than every five minutes.
    'grpc.keepalive_time_ms': 330_000,
    'grpc.keepalive_timeout_ms': 60_000,
  }
}

/** Opens the channel of one backend. Nothing is connected before the first call. */
export function openChannel({ address, maxMessageBytes }: ChannelSettings): Client {
  return new Client(toTarget(address), credentials.createInsecure(), channelOptions(maxMessageBytes))
}

function toTarget(text: string): string {
  const address = parseBackendAddress(text)
  if (address.kind === 'unix') return `unix:${address.path}`
  return address.host.includes(':') ? `[${address.host}]:${address.port}` : `${address.host}:${address.port}`
}
