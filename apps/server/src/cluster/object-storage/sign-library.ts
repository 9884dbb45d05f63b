/**
 * Signatures of version 4. The first call of a storage loads this module; nothing imports it at the start.
 *
 * @module
 */
export { AwsV4Signer } from 'aws4fetch'
