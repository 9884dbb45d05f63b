import { SvcError } from '@svc/errors'
import type * as z from 'zod'
import type { NodeResources } from '../contract/nodes.ts'
import type { heartbeat, registration } from '../contract/registration.ts'
import { readWorkerAddress } from '../contract/worker-address.ts'
import { checkLabels, type Labels } from './labels.ts'
import { NO_RESOURCES } from './node-record.ts'
import { parseVramBudget } from './vram-budget.ts'

/** A registration whose values are checked. */
export interface CheckedRegistration {
  readonly name: string
  readonly kind: 'backend' | 'agent'
  readonly address: string
  readonly httpAddress: string
  readonly resources: NodeResources
  readonly labels: Labels
  /** At least 1. */
  readonly maxReplicas: number
  /** Empty: none. */
  readonly vramBudget: string
}

const NAME = /^[\p{L}\p{N}][\p{L}\p{N} ._:@-]*$/u

function refusal(message: string): SvcError {
  return new SvcError('invalid_request', message, { code: 'bad_registration', details: { type: 'node_error' } })
}

function readAddress(text: string, name: string): { readonly host: string; readonly port: number } {
  const address = readWorkerAddress(text)
  if (address === undefined) throw refusal(`${name} is not host:port`)
  return address
}

/**
 * Checks a registration. Without a file server's address, its port is the one below the first backend's.
 *
 * @throws {SvcError} `invalid_request`
 */
export function checkRegistration(body: z.output<typeof registration>): CheckedRegistration {
  const kind = body.node_type ?? 'backend'
  const address = body.address ?? ''
  if (!NAME.test(body.name)) throw refusal('name is not letters, digits, spaces and . _ : @ - after a letter or digit')
  if (kind === 'backend' || address !== '') readAddress(address, 'address')
  const httpAddress = body.http_address || defaultHttpAddress(address)
  if (httpAddress !== '') readAddress(httpAddress, 'http_address')
  const labels = body.labels ?? {}
  checkLabels(labels)
  const vramBudget = body.vram_budget ?? ''
  if (vramBudget !== '' && parseVramBudget(vramBudget) === undefined) {
    throw refusal('vram_budget is not bytes, an amount such as 8GB, or a share such as 80%')
  }
  return {
    name: body.name,
    kind,
    address,
    httpAddress,
    resources: toResources(body),
    labels,
    maxReplicas: Math.max(1, Math.min(body.max_replicas_per_model ?? 1, 1000)),
    vramBudget,
  }
}

function defaultHttpAddress(address: string): string {
  if (address === '') return ''
  const { host, port } = readAddress(address, 'address')
  return port > 1 ? `${host}:${port - 1}` : ''
}

function toResources(body: z.output<typeof registration>): NodeResources {
  return {
    ...mergeHeartbeat(NO_RESOURCES, body),
    totalRam: toBytes(body.total_ram ?? 0),
    gpuComputeCapability: (body.gpu_compute_capability ?? '').slice(0, 64),
    capability: (body.capability ?? '').slice(0, 64),
  }
}

/** Sums of such numbers stay finite. */
const toBytes = (value: number): number => Math.min(Math.floor(value), Number.MAX_SAFE_INTEGER)

/** Adds what a heartbeat tells. Absent fields, totals of 0 and an empty vendor are as before. */
export function mergeHeartbeat(before: NodeResources, body: z.output<typeof heartbeat>): NodeResources {
  const total = (value: number | null | undefined, old: number): number => toBytes(value || old)
  const free = (value: number | null | undefined, old: number): number => toBytes(value ?? old)
  return {
    ...before,
    totalVram: total(body.total_vram, before.totalVram),
    availableVram: free(body.available_vram, before.availableVram),
    totalRam: total(body.total_ram, before.totalRam),
    availableRam: free(body.available_ram, before.availableRam),
    totalDisk: total(body.total_disk, before.totalDisk),
    availableDisk: free(body.available_disk, before.availableDisk),
    gpuVendor: (body.gpu_vendor || before.gpuVendor).slice(0, 64),
  }
}
