import type { ClusterNode } from '../contract/nodes.ts'

const GIB = 2 ** 30
/** Bytes that must be free for a model whose size is not known. */
const UNKNOWN_SIZE_FLOOR = 2 * GIB

/** Memory that models may still take on a node. */
export interface FreeMemory {
  readonly kind: 'vram' | 'ram'
  /** Bytes, at least 0; undefined: not known. */
  readonly bytes: number | undefined
}

/**
 * Memory that models may still take: the live free memory of the devices, less what running loads will take, and never
 * past the budget. A node without devices counts its main memory.
 */
export function freeMemory(node: ClusterNode): FreeMemory {
  const kind = node.totalVram > 0 ? 'vram' : 'ram'
  const total = kind === 'vram' ? node.totalVram : node.totalRam
  if (total <= 0) return { kind, bytes: undefined }
  const available = kind === 'vram' ? node.availableVram : node.availableRam
  const budget = kind === 'vram' ? node.vramBudget : undefined
  const inBudget = budget === undefined ? available : Math.min(available, budget - (total - available))
  return { kind, bytes: Math.max(0, inBudget - node.reservedVram) }
}

/** Bytes of disk that staging a model needs: its size and 5 %, at least 1 GiB more. */
export function neededDisk(sizeBytes: number | undefined): number {
  return sizeBytes === undefined ? UNKNOWN_SIZE_FLOOR : sizeBytes + Math.max(sizeBytes * 0.05, GIB)
}
