/**
 * The manifest of a packed program: of its dependencies only those that its bundle leaves outside (`svc.outsideBundle`).
 * The others are inside of the bundle, and nobody has to install them.
 */
function beforePacking({ svc, ...manifest }) {
  if (svc === undefined) return manifest
  const outside = ([name]) => svc.outsideBundle.includes(name)
  return { ...manifest, dependencies: Object.fromEntries(Object.entries(manifest.dependencies).filter(outside)) }
}

module.exports = { hooks: { beforePacking } }
