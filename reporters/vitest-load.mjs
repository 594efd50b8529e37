// For a Node without synchronous hooks: see `watchVitest`.
let key;

export const initialize = (data) => {
  key = data.key;
};

export const load = async (url, context, next) => {
  const loaded = await next(url, context);
  if (!url.includes("/vitest/dist/") || loaded.format !== "module" || loaded.source == null) return loaded;
  const source = Buffer.from(loaded.source).toString();
  if (!/^class Vitest \{/m.test(source)) return loaded;
  return {
    ...loaded,
    source: `${source}\n;globalThis[Symbol.for(${JSON.stringify(key)})]?.(Vitest);\n`,
  };
};
