import * as z from 'zod'
import type { Nodes } from '../../../cluster/nodes/open-nodes.ts'
import { orLater } from '../../../cluster/nodes/pending-ops.ts'
import { parseAmount } from '../../../cluster/nodes/vram-budget.ts'
import type { InstallProgress } from '../../../cluster/nodes/worker-calls.ts'
import type { Operations } from '../../../operations/operations.ts'
import type { ProgressReport } from '../../../operations/progress-meter.ts'

const details = z.object({
  op: z.enum(['install', 'upgrade']),
  backend: z.string(),
  galleries: z.string().optional(),
  uri: z.string().optional(),
  name: z.string().optional(),
  alias: z.string().optional(),
})

/** Carries out installations and upgrades of backends on workers as operations. */
export function registerNodeOperations(
  { operations, nodes }: { readonly operations: Operations; readonly nodes: Nodes },
  timeouts: { readonly installMs: number; readonly upgradeMs: number },
): void {
  operations.registerOnNodes(
    'backend',
    'installation',
    async ({ nodeId = '', jobId, signal, report, details: stored }) => {
      const { op, ...backend } = details.parse(stored)
      report({ message: op === 'install' ? 'The worker installs it' : 'The worker upgrades it' })
      const onProgress = (progress: InstallProgress): void => report(toReport(progress))
      const options = { signal, operationId: jobId, onProgress }
      await orLater(
        () =>
          op === 'install'
            ? nodes.calls.install(nodeId, backend, { ...options, timeoutMs: timeouts.installMs })
            : nodes.calls.upgrade(nodeId, backend, { signal, timeoutMs: timeouts.upgradeMs }),
        () => nodes.pending.add(nodeId, op, backend),
      )
    },
  )
}

function toReport({ percentage, file_name: fileName, phase, current, total }: InstallProgress): ProgressReport {
  return {
    percent: Math.min(100, Math.max(0, percentage)),
    message: phase === '' ? 'The worker installs it' : phase,
    ...(fileName === '' ? {} : { fileName }),
    ...(current === '' ? {} : { currentBytes: parseAmount(current) }),
    ...(total === '' ? {} : { totalBytes: parseAmount(total) }),
    ...(/download/i.test(phase) ? { phase: 'Downloading' as const } : {}),
  }
}
