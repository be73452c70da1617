import { defineConfig } from "vite";

// The device alone, as one module: for a browser that is asked to make many reports at once.
export default defineConfig({
  publicDir: false,
  build: {
    target: "es2022",
    lib: { entry: "src/device/index.ts", formats: ["es"], fileName: "device" },
  },
});
