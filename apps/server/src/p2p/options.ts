import type { Socket } from 'node:net'
import { hostname } from 'node:os'
import type { ServerConfig } from '../config/schema.ts'
import type { Clock, Logger } from '../ports.ts'
import type { ServiceKind } from './exchange.ts'
import type { TokenFacts } from './token.ts'

/** The place of a service that this member offers. */
export interface ServicePlace {
  readonly host: string
  readonly port: number
}

/** Options of a network. */
export interface NetworkOptions {
  readonly token: TokenFacts
  readonly networkId: string
  readonly listen: { readonly host: string | undefined; readonly port: number }
  /** Further addresses to join by. */
  readonly peers: readonly string[]
  /** Whether members are looked for by multicast. */
  readonly mdns: boolean
  /** Milliseconds between two looks for members that are known and not connected. */
  readonly lookMs: number
  /** Milliseconds until the password changes. */
  readonly passwordMs: number
  /** Milliseconds between two signs of this member. @default 10 s */
  readonly announceMs?: number | undefined
  readonly name: string
  /** The places of the services that this member offers; undefined while a service takes no connection. */
  readonly offers: Readonly<Partial<Record<ServiceKind, () => ServicePlace | undefined>>>
  /** The services of others that get a local port here. */
  readonly wants: readonly ServiceKind[]
  /** Called when a service of a member has a local port. @returns a function that is called when it has none any more */
  readonly onService?: ((service: FoundService) => () => void) | undefined
  /** Called with each connected socket that carries a stream of a member to a service. @param address of the member */
  readonly onServe?: ((socket: Socket, address: string) => void) | undefined
  readonly clock: Clock
  readonly logger: Logger
}

/** Reads the options that every member of this machine has alike. */
export function readNetworkOptions(
  config: Pick<ServerConfig, 'p2pListen' | 'p2pPeers' | 'p2pMdns' | 'p2pDhtInterval' | 'p2pOtpInterval'>,
): Pick<NetworkOptions, 'listen' | 'peers' | 'mdns' | 'lookMs' | 'passwordMs' | 'name'> {
  return {
    listen: config.p2pListen,
    peers: config.p2pPeers,
    mdns: config.p2pMdns,
    lookMs: config.p2pDhtInterval * 1000,
    passwordMs: config.p2pOtpInterval * 1000,
    name: hostname(),
  }
}

/** A service of another member, at a local port. */
export interface FoundService {
  readonly kind: ServiceKind
  readonly id: string
  readonly name: string
  /** `127.0.0.1:port`. */
  readonly address: string
}
