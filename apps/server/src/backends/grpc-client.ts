/**
 * The client of backends behind gRPC. The first backend loads this module; nothing imports it at the start.
 *
 * @module
 */
export { createBackendClient, ensureSuccess } from '@svc/backend-client'
