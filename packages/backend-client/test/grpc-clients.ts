import type { GrpcClient } from '../src/index.ts'

/** The two clients of the main path. Whatever holds for one holds for the other. */
export const GRPC_CLIENTS: readonly GrpcClient[] = ['lean', 'grpc-js']
