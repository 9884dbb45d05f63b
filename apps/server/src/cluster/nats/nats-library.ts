/**
 * The client of NATS. The first connection loads this module; nothing imports it at the start. The bundle gives an
 * `import()` of the package itself no names, because it is in CommonJS.
 *
 * @module
 */
export { connect, jwtAuthenticator } from '@nats-io/transport-node'
