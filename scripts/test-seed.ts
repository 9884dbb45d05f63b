import fc from 'fast-check'

/** The same values in every run, so that a harmless change cannot fail by chance. `random` looks for new ones. */
const SEED = 20_261_128

const { SVC_TEST_SEED: given } = process.env
if (given !== 'random') fc.configureGlobal({ seed: given === undefined ? SEED : Number(given) })
