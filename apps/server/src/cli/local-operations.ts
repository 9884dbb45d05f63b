import type { WireOperation, WireOperationRecord } from '@svc/wire/native'
import { toWireOperation, toWireRecord } from '../api/admin/operations/to-wire.ts'
import { recordCommand } from '../audit/command-changes.ts'
import type { RemoteVerb } from '../config/remote-command.ts'
import type { PlatformOptions } from '../platform/open-platform.ts'
import { runWithoutApi } from './run-without-api.ts'

/** Result of a command about operations: a list, or the message of a change. */
export type OperationsAnswer =
  | { readonly operations: readonly (WireOperation | WireOperationRecord)[] }
  | { readonly success: true; readonly message: string }

/** Commands about operations that need no running server: none of them starts any work. */
export type LocalVerb = Extract<
  RemoteVerb,
  'operations list' | 'operations history' | 'operations cancel' | 'operations pause' | 'operations dismiss'
>

/** Carries out a command about operations on the database of a server that does not run. @throws {SvcError} as the routes */
export function runLocalOperations(
  options: PlatformOptions,
  { verb, argument }: { readonly verb: LocalVerb; readonly argument: string },
): Promise<OperationsAnswer> {
  return runWithoutApi(options, async ({ operations, audit }): Promise<OperationsAnswer> => {
    const record = (change: string) => recordCommand(audit, { change, target: argument })
    switch (verb) {
      case 'operations list':
        return { operations: operations.list().map(toWireOperation) }
      case 'operations history':
        return { operations: (await operations.history()).map(toWireRecord) }
      case 'operations cancel':
        await operations.cancel(argument)
        await record('operation.cancel')
        return { success: true, message: 'Operation cancelled' }
      case 'operations pause':
        await operations.pause(argument)
        await record('operation.pause')
        return { success: true, message: 'Operation paused' }
      case 'operations dismiss':
        await operations.dismiss(argument)
        await record('operation.dismiss')
        return { success: true, message: 'Operation dismissed' }
    }
  })
}
