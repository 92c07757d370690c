// Runs once in every engine, before any body does. It closes the ways in which
// a body could leave something behind for the next one, run without an end the
// engine can set, or use memory in a single step:
//
//   - everything that is shared between bodies is frozen, so that nothing can
//     be kept in it; what bodies customarily assign to can still be assigned
//     on their own objects;
//   - text cannot become code, because the engine's parser is bounded for the
//     source of a body only;
//   - built-ins that work through a length without returning to the engine
//     refuse a length that no honest list has, and those that can visit a
//     shared part again and again are written in JavaScript here, where each
//     step can be interrupted.
(function (limits) {
    "use strict";

    const { apply, construct, ownKeys, getPrototypeOf, getOwnPropertyDescriptor, defineProperty } = Reflect;
    const { isArray } = Array;
    const { freeze } = Object;
    const numberOf = Number;
    const textOf = String;
    const stringify = JSON.stringify;
    const push = Array.prototype.push;

    const define = (object, name, value) =>
        defineProperty(object, name, { value, writable: true, enumerable: false, configurable: true });

    const replace = (object, name, make) => {
        const native = object[name];
        if (native === undefined) return;
        const made = make(native);
        defineProperty(made, "name", { value: native.name, configurable: true });
        defineProperty(made, "length", { value: native.length, configurable: true });
        define(object, name, made);
    };

    // Taken away: text that becomes code, memory outside the engine's count,
    // objects that lie about themselves, and a registry all bodies would share.

    const refuseCode = function Function() {
        throw new TypeError("text cannot become code in a |js body");
    };
    for (const f of [function () {}, async function () {}, function* () {}]) {
        define(getPrototypeOf(f), "constructor", refuseCode);
    }
    defineProperty(refuseCode, "prototype", { value: Function.prototype });
    define(globalThis, "Function", refuseCode);
    define(globalThis, "eval", { eval(text) { return refuseCode(text); } }.eval);
    for (const name of ownKeys(globalThis)) {
        if (/^(Proxy|GoError|ArrayBuffer|DataView|\w+Array)$/.test(textOf(name))) delete globalThis[name];
    }
    delete Symbol.for;
    delete Symbol.keyFor;

    // Lengths.

    const tooLong = (what, most) => {
        throw new RangeError(what + " is longer than a |js body may use (" + most + ")");
    };
    const short = (text) => {
        if (text.length > limits.text) tooLong("the text", limits.text);
        return text;
    };
    // list returns a real array of honest length: an array itself, the elements
    // of anything else that has a length.
    const array = (it) => {
        if (!isArray(it)) throw new TypeError("only a real array can be changed in place, copy it with [...it]");
        if (it.length > limits.list) tooLong("the array", limits.list);
        return it;
    };
    const list = (it) => {
        if (isArray(it)) return array(it);
        if (it === undefined || it === null) throw new TypeError(textOf(it) + " is not an array");
        const like = Object(it);
        const length = numberOf(like.length);
        const copy = [];
        for (let i = 0; i < length; i++) apply(push, copy, [like[i]]);
        return copy;
    };
    const args = (it) => {
        if (it === undefined || it === null) return [];
        const values = list(it);
        if (values.length > limits.arguments) tooLong("the list of arguments", limits.arguments);
        return values;
    };

    const arrays = Array.prototype;
    for (const name of [
        "entries", "every", "filter", "find", "findIndex", "findLast", "findLastIndex", "forEach", "includes", "indexOf",
        "keys", "lastIndexOf", "map", "reduce", "reduceRight", "slice", "some", "toReversed", "toSorted", "toSpliced",
        "values", "with",
    ]) {
        replace(arrays, name, (native) => ({ f(...rest) { return apply(native, list(this), rest); } }).f);
    }
    for (const name of ["copyWithin", "fill", "reverse", "shift", "sort", "splice", "unshift"]) {
        replace(arrays, name, (native) => ({ f(...rest) { return apply(native, array(this), rest); } }).f);
    }
    replace(arrays, "concat", (native) => ({
        concat(...rest) {
            for (const it of [this, ...rest]) if (isArray(it)) array(it);
            return apply(native, this, rest);
        },
    }).concat);
    replace(arrays, "flatMap", () => ({ flatMap(f, self) { return list(this).map(f, self).flat(); } }).flatMap);
    define(arrays, Symbol.iterator, arrays.values);

    replace(arrays, "flat", () => ({
        flat(depth = 1) {
            const out = [];
            const walk = (from, left) => {
                for (let i = 0; i < from.length; i++) {
                    if (!(i in from)) continue;
                    if (left >= 1 && isArray(from[i])) walk(from[i], left - 1);
                    else apply(push, out, [from[i]]);
                }
            };
            walk(list(this), numberOf(depth));
            return out;
        },
    }).flat);

    const joining = [];
    const join = (from, separator, write) => {
        if (joining.includes(from)) return "";
        apply(push, joining, [from]);
        try {
            let out = "";
            for (let i = 0; i < from.length; i++) {
                if (i > 0) out += separator;
                if (from[i] !== undefined && from[i] !== null) out += write(from[i]);
            }
            return out;
        } finally {
            joining.length--;
        }
    };
    replace(arrays, "join", () => ({
        join(separator) { return join(list(this), separator === undefined ? "," : textOf(separator), (v) => `${v}`); },
    }).join);
    replace(arrays, "toString", () => ({
        toString() { return isArray(this) ? this.join() : Object.prototype.toString.call(this); },
    }).toString);
    replace(arrays, "toLocaleString", () => ({
        toLocaleString() { return join(list(this), ",", (v) => v.toLocaleString()); },
    }).toLocaleString);

    replace(Array, "from", (native) => ({
        from(items, ...rest) {
            const iterable = items !== undefined && items !== null && items[Symbol.iterator] !== undefined;
            return apply(native, this, [iterable ? items : list(items), ...rest]);
        },
    }).from);

    replace(Function.prototype, "apply", (native) => ({
        apply(self, values) { return apply(native, this, [self, args(values)]); },
    }).apply);
    replace(Reflect, "apply", () => ({
        apply(f, self, values) { return apply(f, self, args(values)); },
    }).apply);
    replace(Reflect, "construct", () => ({
        construct(f, values, ...target) { return construct(f, args(values), ...target); },
    }).construct);

    const strings = String.prototype;
    const { replace: nativeReplace, includes: nativeIncludes } = strings;
    for (const name of ["match", "matchAll", "normalize", "search", "split", Symbol.iterator]) {
        replace(strings, name, (native) => ({ f(...rest) { short(textOf(this)); return apply(native, this, rest); } }).f);
    }
    for (const name of ["exec", "test", Symbol.match, Symbol.matchAll, Symbol.replace, Symbol.search, Symbol.split]) {
        replace(RegExp.prototype, name, (native) => ({
            f(text, ...rest) { return apply(native, this, [short(textOf(text)), ...rest]); },
        }).f);
    }
    replace(strings, "repeat", (native) => ({
        repeat(count) {
            const text = textOf(this);
            const times = numberOf(count);
            if (text.length * times > limits.text) tooLong("the text", limits.text);
            return apply(native, text, [times]);
        },
    }).repeat);
    for (const name of ["padStart", "padEnd"]) {
        replace(strings, name, (native) => ({
            f(length, ...rest) {
                const most = numberOf(length);
                if (most > limits.text) tooLong("the text", limits.text);
                return apply(native, this, [most, ...rest]);
            },
        }).f);
    }
    // A replacement text goes in once a match, and with "$" it takes up to the
    // whole text along.
    for (const name of ["replace", "replaceAll"]) {
        replace(strings, name, (native) => ({
            f(pattern, to) {
                const text = short(textOf(this));
                if (typeof to === "function") return apply(native, text, [pattern, to]);
                const insert = textOf(to);
                const grown = insert.length * (apply(nativeIncludes, insert, ["$"]) ? text.length : 1);
                if (text.length * grown > limits.replaced) tooLong("the text that could come of this", limits.replaced);
                return apply(native, text, [pattern, insert]);
            },
        }).f);
    }
    replace(String, "raw", (native) => ({
        raw(template, ...rest) { return apply(native, this, [{ raw: list(template.raw) }, ...rest]); },
    }).raw);
    for (const name of ["asIntN", "asUintN"]) {
        replace(BigInt, name, (native) => ({
            f(bits, value) {
                const width = numberOf(bits);
                if (width > limits.bits) tooLong("the integer", limits.bits);
                return native(width, value);
            },
        }).f);
    }

    // JSON, step by step.

    replace(JSON, "parse", (native) => ({
        parse(text, ...rest) {
            const json = short(textOf(text));
            if (limits.nests(json)) throw new RangeError("the JSON text is nested more than " + limits.depth + " deep");
            return apply(native, JSON, [json, ...rest]);
        },
    }).parse);

    const writeJSON = (holder, key, plan) => {
        let value = holder[key];
        if (value !== null && value !== undefined && typeof value.toJSON === "function") value = value.toJSON(key);
        if (plan.replacer) value = apply(plan.replacer, holder, [key, value]);
        if (value instanceof Number) value = numberOf(value);
        else if (value instanceof String) value = textOf(value);
        else if (value instanceof Boolean || value instanceof BigInt) value = value.valueOf();
        switch (typeof value) {
            case "string":
                return stringify(value);
            case "number":
                return isFinite(value) ? textOf(value) : "null";
            case "boolean":
                return textOf(value);
            case "bigint":
                throw new TypeError("a BigInt has no JSON, make it a string first");
            case "object":
                return value === null ? "null" : writeNested(value, plan);
        }
        return undefined;
    };
    const writeNested = (value, plan) => {
        if (plan.open.includes(value)) throw new TypeError("the value contains itself, which JSON cannot say");
        apply(push, plan.open, [value]);
        const outer = plan.indent;
        plan.indent += plan.gap;
        const parts = [];
        if (isArray(value)) {
            for (let i = 0; i < value.length; i++) {
                const part = writeJSON(value, textOf(i), plan);
                apply(push, parts, [part === undefined ? "null" : part]);
            }
        } else {
            for (const key of plan.keys || Object.keys(value)) {
                const part = writeJSON(value, key, plan);
                if (part !== undefined) apply(push, parts, [stringify(key) + (plan.gap ? ": " : ":") + part]);
            }
        }
        const [open, close] = isArray(value) ? "[]" : "{}";
        const line = plan.gap ? "\n" + plan.indent : "";
        const end = plan.gap ? "\n" + outer : "";
        plan.indent = outer;
        plan.open.length--;
        return parts.length === 0 ? open + close : open + line + parts.join("," + line) + end + close;
    };
    replace(JSON, "stringify", () => ({
        stringify(value, replacer, space) {
            if (space instanceof Number || space instanceof String) space = space.valueOf();
            return writeJSON({ "": value }, "", {
                replacer: typeof replacer === "function" ? replacer : null,
                keys: isArray(replacer) ? [...new Set(list(replacer).map(textOf))] : null,
                gap: typeof space === "number" ? " ".repeat(Math.max(0, Math.min(10, space))) : typeof space === "string" ? space.slice(0, 10) : "",
                indent: "",
                open: [],
            });
        },
    }).stringify);

    // Frozen, but for this: an object of a body's own may be given a property
    // that its frozen prototype has too (an error's name, a toString).

    const settable = (prototype) => {
        for (const name of ownKeys(prototype)) {
            const property = getOwnPropertyDescriptor(prototype, name);
            if (!property.configurable || !("value" in property)) continue;
            const { value } = property;
            defineProperty(prototype, name, {
                get() { return value; },
                set(own) {
                    if (this === prototype) throw new TypeError("the built-in " + textOf(name) + " cannot be replaced in a |js body");
                    defineProperty(this, name, { value: own, writable: true, enumerable: true, configurable: true });
                },
                enumerable: false,
                configurable: true,
            });
        }
    };
    for (const name of ownKeys(globalThis)) {
        const made = globalThis[name];
        if (typeof made === "function" && made.prototype instanceof Error) settable(made.prototype);
    }
    settable(Error.prototype);
    settable(Object.prototype);

    const todo = [
        globalThis, limits, [][Symbol.iterator](), ""[Symbol.iterator](), new Map().entries(), new Set().entries(), "".matchAll(/x/g),
        function* () {}, async function () {}, (function* () {})(), Promise.resolve(),
        (function () { return getOwnPropertyDescriptor(arguments, "callee").get; })(),
    ];
    const seen = new Set();
    const visit = (it) => {
        if ((typeof it === "object" && it !== null) || typeof it === "function") {
            if (!seen.has(it)) {
                seen.add(it);
                todo[todo.length] = it;
            }
        }
    };
    // The list grows while it is walked; counting loops are the quick ones here.
    for (let i = 0; i < todo.length; i++) {
        const object = todo[i];
        visit(getPrototypeOf(object));
        const names = ownKeys(object);
        for (let j = 0; j < names.length; j++) {
            if (typeof object === "function" && (names[j] === "name" || names[j] === "length")) continue;
            const property = getOwnPropertyDescriptor(object, names[j]);
            visit(property.value);
            visit(property.get);
            visit(property.set);
        }
        freeze(object);
    }
})
