/**
 * Makes credentials of NATS. Only a server that mints some loads this module. The bundle gives an `import()` of the package
 * itself no names, because it is in CommonJS.
 *
 * @module
 */
export {
  createAccount,
  createOperator,
  createUser,
  encodeAccount,
  encodeOperator,
  encodeUser,
  fromSeed,
} from '@nats-io/jwt'
