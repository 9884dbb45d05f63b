/**
 * The manifest of a packed program. Of its dependencies it has only those that the bundle leaves outside
 * (`svc.outsideBundle`). A native engine (`svc.builds`) is inside too, except for its builds: they are packages of one
 * platform each, in the version of the engine, and npm installs only the one that fits.
 */
function beforePacking({ svc, ...manifest }) {
  if (svc === undefined) return manifest
  const { outsideBundle, builds = {} } = svc
  const { dependencies = {}, optionalDependencies = {} } = manifest
  const versions = { ...dependencies, ...optionalDependencies }
  const ofEngines = Object.entries(builds).flatMap(([engine, names]) => names.map((name) => [name, versions[engine]]))
  const optional = Object.entries(optionalDependencies).filter(([name]) => !(name in builds))
  return {
    ...manifest,
    dependencies: Object.fromEntries(Object.entries(dependencies).filter(([name]) => outsideBundle.includes(name))),
    optionalDependencies: Object.fromEntries([...optional, ...ofEngines]),
  }
}

module.exports = { hooks: { beforePacking } }
